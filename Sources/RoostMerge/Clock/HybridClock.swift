/// A hybrid logical clock (S. Kulkarni et al., "Logical Physical Clocks", 2014), as a value: the wall clock is an
/// argument.
///
/// It never goes back, and never refuses: a wall clock that stands still or jumps back is bridged by the counter, which
/// carries into the milliseconds when it is full.
package struct HybridClock: Hashable, Sendable {
    /// The last reading given or seen: `milliseconds << 16 | counter`.
    package private(set) var last: UInt64
    /// What to add to the wall clock to get the server's, in milliseconds; learned from its replies.
    package var offsetMilliseconds: Int64

    /// What a clock reads at most, in the year 6395, whatever a machine or a server says: 35 years below the readings that no signed
    /// number of 64 bits holds, as columns of SQLite are.
    package static let millisecondsMax: UInt64 = (1 << 47) - (1 << 40)
    /// The reading of ``millisecondsMax``: what a clock remembers of a later stamp.
    package static let readingMax = millisecondsMax << 16

    package init(last: UInt64 = 0, offsetMilliseconds: Int64 = 0) {
        self.last = last
        self.offsetMilliseconds = offsetMilliseconds
    }

    /// The reading for a new change, greater than every one before.
    ///
    /// - Parameter wall: Milliseconds since 1970 by this machine's clock.
    package mutating func tick(wall: UInt64) -> UInt64 {
        let now = corrected(wall) << 16
        last = now > last ? now : last &+ 1
        return last
    }

    /// Takes note of another replica's reading. Without a drift check: the server has judged it, and a check here would
    /// let one bad stamp stop a healthy replica (semantics §5).
    package mutating func receive(_ time: UInt64) {
        last = max(last, min(time, Self.readingMax))
    }

    /// Learns how far the server's clock is from this machine's.
    package mutating func learn(server: UInt64, wall: UInt64) {
        offsetMilliseconds = Int64(min(server, Self.millisecondsMax)) - Int64(clamping: wall)
    }

    /// Whether a stamp is too far ahead to be stored.
    ///
    /// - Parameters:
    ///   - time: The stamp's `milliseconds << 16 | counter`.
    ///   - server: Milliseconds since 1970 by the server's clock.
    package static func isAhead(_ time: UInt64, server: UInt64, limitMilliseconds: UInt64) -> Bool {
        time >> 16 > server + limitMilliseconds
    }

    private func corrected(_ wall: UInt64) -> UInt64 {
        let (sum, overflow) = Int64(clamping: wall).addingReportingOverflow(offsetMilliseconds)
        let milliseconds = overflow ? (offsetMilliseconds > 0 ? Int64.max : 0) : max(0, sum)
        return min(UInt64(milliseconds), Self.millisecondsMax)
    }
}
