@testable import Session

extension SyncAction {
    var name: String {
        switch self {
        case .wait: "wait"
        case .sealPush: "sealPush"
        case .sendPush: "sendPush"
        case .acknowledge: "acknowledge"
        case .restamp: "restamp"
        case .renew: "renew"
        case .divide: "divide"
        case .setAside: "setAside"
        case .recover: "recover"
        case .giveUp: "giveUp"
        case .pull: "pull"
        case .fetchSchema: "fetchSchema"
        case .applyPage: "applyPage"
        case .pullAnew: "pullAnew"
        case .finish: "finish"
        }
    }
}
