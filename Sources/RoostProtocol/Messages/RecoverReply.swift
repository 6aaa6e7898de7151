package import RoostModel

/// The server's reply to a request that brings records back.
package struct RecoverReply: Hashable, Sendable {
    /// The number of records from which the server learned something new.
    package var stored: UInt64
    /// Records that the server had purged and therefore skipped. The replica, which had not learned of the purge, removes
    /// their confirmed slots.
    package var purged: [RecordKey]
    /// Milliseconds since 1970 by the server's clock.
    package var serverTime: UInt64

    package init(stored: UInt64, purged: [RecordKey] = [], serverTime: UInt64) {
        self.stored = stored
        self.purged = purged
        self.serverTime = serverTime
    }
}
