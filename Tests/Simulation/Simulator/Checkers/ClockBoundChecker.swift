internal import RoostMerge
internal import RoostModel
internal import RoostProtocol

/// I14: no stored stamp is far ahead of the greatest reading of the server's clock, whatever clients sent.
struct ClockBoundChecker {
    /// The allowance for the rise of the bound, in milliseconds. While the server's clock is behind its greatest reading, the
    /// bound rises by a millisecond a second. A simulated run has less than 60,000 seconds besides the days of
    /// ``dayPassed()``.
    private var rise: UInt64 = 60

    /// The greatest reading of the server's clock.
    private(set) var highest: UInt64 = 0
    /// The number of changes stored with a stamp in the last second of the bound.
    private(set) var atBound = 0

    /// Takes a reading of the server's clock.
    mutating func read(_ now: UInt64) { highest = max(highest, now) }

    /// Raises the bound for a day in which the server reads its clock every minute.
    mutating func dayPassed() { rise += 87 }

    mutating func check(_ change: Change, _ limits: Limits) throws {
        let bound = highest + rise
        if change.stamp.milliseconds + 1000 > highest + limits.clockAheadMillisecondsMax { atBound += 1 }
        guard HybridClock.isAhead(change.stamp.time, server: bound, limitMilliseconds: limits.clockAheadMillisecondsMax)
        else { return }
        throw Violation(.clockBound, "the server stored \(change.stamp), which is ahead of every reading of its clock")
    }
}
