package import RoostModel

/// What became of records that were brought back.
package struct RecoverReply: Hashable, Sendable {
    /// How many of them told the server something new.
    package var stored: UInt64
    /// Those that were purged before the replica heard of it, and were passed over: it forgets their confirmed slots.
    package var purged: [RecordKey]
    /// Milliseconds since 1970 by the server's clock.
    package var serverTime: UInt64

    package init(stored: UInt64, purged: [RecordKey] = [], serverTime: UInt64) {
        self.stored = stored
        self.purged = purged
        self.serverTime = serverTime
    }
}
