@testable import Session

extension SyncAction {
    /// Whose action it is; `nil` if there is nothing to report back.
    var lane: SyncLane? {
        switch self {
        case .sealPush, .sendPush, .acknowledge, .restamp: .push
        case .pull, .fetchSchema, .applyPage, .rebuild: .pull
        case .wait, .finish: nil
        }
    }

    var name: String {
        switch self {
        case .wait: "wait"
        case .sealPush: "sealPush"
        case .sendPush: "sendPush"
        case .acknowledge: "acknowledge"
        case .restamp: "restamp"
        case .pull: "pull"
        case .fetchSchema: "fetchSchema"
        case .applyPage: "applyPage"
        case .rebuild: "rebuild"
        case .finish: "finish"
        }
    }
}
