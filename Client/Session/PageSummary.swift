package import RoostProtocol

/// What the session needs to know of a page; the driver keeps the page itself until it has applied it.
package struct PageSummary: Hashable, Sendable {
    /// Records of the page.
    package var count: Int
    package var hasMore: Bool
    package var schemaVersion: Int

    package init(count: Int, hasMore: Bool, schemaVersion: Int) {
        self.count = count
        self.hasMore = hasMore
        self.schemaVersion = schemaVersion
    }

    package init(_ reply: PullReply) {
        self.init(count: reply.records.count, hasMore: reply.hasMore, schemaVersion: reply.schemaVersion)
    }
}
