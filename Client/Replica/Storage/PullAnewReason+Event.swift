internal import RoostModel

extension PullAnewReason {
    /// The kind and the text of the event that reports the reason.
    var event: (kind: String, text: String) {
        switch self {
        case .differs:
            ("integrity", "The replica differs from the server; it is pulled anew. Local changes are kept.")
        case .damaged:
            ("integrity", "The replica is damaged; everything is pulled anew. Local changes are kept.")
        case .refused:
            (
                "resync",
                "An edit was refused, and only the server has the content that it had replaced; everything is pulled anew. "
                    + "Local changes are kept."
            )
        case .historyChanged:
            (
                "history",
                "The server was restored from an older copy; everything is pulled anew. What it has lost and this replica "
                    + "still holds is brought back."
            )
        case .expired:
            (
                "resync",
                "This replica was away for longer than the server keeps deleted records; everything is pulled anew. Local "
                    + "changes are kept."
            )
        }
    }
}
