/// What became of records that were brought back.
package struct RecoverReply: Hashable, Sendable {
    /// How many of them told the server something new.
    package var stored: UInt64
    /// Milliseconds since 1970 by the server's clock.
    package var serverTime: UInt64

    package init(stored: UInt64, serverTime: UInt64) {
        self.stored = stored
        self.serverTime = serverTime
    }
}
