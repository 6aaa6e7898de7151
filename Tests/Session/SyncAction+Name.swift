@testable import Session

extension SyncAction {
    var name: String {
        switch self {
        case .wait: "wait"
        case .sealPush(let preconnects): preconnects ? "sealPush, preconnect" : "sealPush"
        case .sendPush(_, _, let isPreconnected): isPreconnected ? "sendPush, preconnected" : "sendPush"
        case .acknowledge: "acknowledge"
        case .restamp: "restamp"
        case .renew: "renew"
        case .divide: "divide"
        case .setAside: "setAside"
        case .recover: "recover"
        case .giveUp: "giveUp"
        case .pull: "pull"
        case .fetchSchema: "fetchSchema"
        case .applyPage(let prefetches): prefetches ? "applyPage, prefetch" : "applyPage"
        case .resynchronise: "resynchronise"
        case .finish: "finish"
        }
    }
}
