package import RoostProtocol
#if ROOST_SEEDED_BUGS
    internal import RoostModel
#endif

/// The properties of a page that the session decides by. The driver keeps the page itself until it is applied.
package struct PageSummary: Hashable, Sendable {
    /// Records and identifiers of purged records of the page.
    package var count: Int
    package var hasMore: Bool
    package var schemaVersion: Int
    /// Whether the page brings anything, or ends at another checkpoint than the one that it follows. Without progress, a page that
    /// announces more would be requested endlessly.
    package var isProgress: Bool

    /// - Parameter isProgress: `nil` for whether the page brings anything.
    package init(count: Int, hasMore: Bool, schemaVersion: Int, isProgress: Bool? = nil) {
        self.count = count
        self.hasMore = hasMore
        self.schemaVersion = schemaVersion
        self.isProgress = isProgress ?? (count > 0)
    }

    /// - Parameter since: The checkpoint that the page follows.
    package init(_ reply: PullReply, since: [UInt8]?) {
        #if ROOST_SEEDED_BUGS
            if SeededBug.purgedPageIsEmpty.isOn {
                self.init(
                    count: reply.records.count, hasMore: reply.hasMore, schemaVersion: reply.schemaVersion)
                return
            }
        #endif
        let count = reply.records.count + reply.purged.count
        self.init(
            count: count, hasMore: reply.hasMore, schemaVersion: reply.schemaVersion,
            isProgress: count > 0 || reply.checkpoint.bytes != since ?? [])
    }
}
