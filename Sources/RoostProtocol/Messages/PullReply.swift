package import RoostModel

/// A page of changes since a checkpoint.
///
/// It is applied in this order: ``purged``, then ``records``.
package struct PullReply: Hashable, Sendable {
    /// Whole transactions, in the server's order.
    package var records: [RecordState]
    /// Records that the server has purged since the checkpoint. The replica removes their confirmed slots.
    package var purged: [RecordKey]
    /// The replica's checkpoint once it has applied the page.
    package var checkpoint: Checkpoint
    /// Whether more changes are available at once.
    package var hasMore: Bool
    /// The digest of the scope at `checkpoint`; on the last page only.
    package var digest: ScopeDigest?
    /// The version of the scope's schema.
    package var schemaVersion: Int
    /// Milliseconds since 1970 by the server's clock.
    package var serverTime: UInt64

    package init(
        records: [RecordState], purged: [RecordKey] = [], checkpoint: Checkpoint, hasMore: Bool, digest: ScopeDigest?,
        schemaVersion: Int, serverTime: UInt64
    ) {
        self.records = records
        self.purged = purged
        self.checkpoint = checkpoint
        self.hasMore = hasMore
        self.digest = digest
        self.schemaVersion = schemaVersion
        self.serverTime = serverTime
    }
}
