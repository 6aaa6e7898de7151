internal import RoostModel
internal import Session

extension RenewalCause {
    /// The reason of a new identity, as users read it.
    var words: String {
        switch self {
        case .copied: "This file is a copy of one that was synchronised, or was restored from one."
        case .forked: "This file was restored from an older copy, or another copy of it was synchronised."
        case .partsLeft: "The server holds a part of a transaction that is sent anew from its beginning, or not at all."
        case .forgotten:
            "The server was restored from an older copy and does not know this replica's token; it knows an earlier one."
        case .serverRolledBack: "The server was restored from an older copy and has forgotten what this replica sent."
        }
    }
}

extension PullAnewReason {
    /// The measure that was taken, as users read it.
    var words: String {
        switch self {
        case .differs: "This replica differed from the server and was pulled anew."
        case .damaged:
            "Content of this replica was missing, or was not what the server had confirmed. All was pulled again."
        case .refused:
            "An edit was refused. The content that it had replaced was pulled from the server, with all other records."
        case .historyChanged: "The server was restored from an older copy; everything was pulled anew."
        case .expired:
            "This replica was away for longer than the server keeps deleted records; everything was pulled anew."
        }
    }
}
