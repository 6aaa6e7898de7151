/// A hybrid logical clock (S. Kulkarni et al., "Logical Physical Clocks", 2014), as a value: the wall clock is an argument.
///
/// It never goes back, and never refuses a reading. The counter bridges a wall clock that stands still or jumps back, and
/// carries into the milliseconds when it overflows.
package struct HybridClock: Hashable, Sendable {
    /// The last reading returned or received: `milliseconds << 16 | counter`.
    package private(set) var last: UInt64
    /// The difference to add to the wall clock to get the server's clock, in milliseconds. It is learned from the server's
    /// replies.
    package var offsetMilliseconds: Int64

    /// The maximum reading of a clock, in the year 6395, whatever a machine or a server reports. It is 35 years below the
    /// readings that do not fit a signed 64-bit number, as in a column of SQLite.
    package static let millisecondsMax: UInt64 = (1 << 47) - (1 << 40)
    /// The reading of ``millisecondsMax``. A clock stores this in place of a later stamp.
    package static let readingMax = millisecondsMax << 16

    package init(last: UInt64 = 0, offsetMilliseconds: Int64 = 0) {
        self.last = last
        self.offsetMilliseconds = offsetMilliseconds
    }

    /// Returns the reading for a new change, greater than every earlier one.
    ///
    /// - Parameter wall: Milliseconds since 1970 by this machine's clock.
    package mutating func tick(wall: UInt64) -> UInt64 {
        let now = corrected(wall) << 16
        last = now > last ? now : last &+ 1
        return last
    }

    /// Advances past another replica's reading. There is no drift check: the server has judged the reading, and a check
    /// here would let one bad stamp stop a healthy replica (protocol.md §6.4).
    package mutating func receive(_ time: UInt64) {
        last = max(last, min(time, Self.readingMax))
    }

    /// Learns the difference between the server's clock and this machine's.
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
