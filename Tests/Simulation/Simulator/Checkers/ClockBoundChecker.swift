internal import RoostMerge
internal import RoostModel
internal import RoostProtocol

/// I14: no stamp is stored that is far ahead of the server.
enum ClockBoundChecker {
    /// - Parameter now: What the server's clock said.
    static func check(_ change: Change, _ now: UInt64, _ limits: Limits) throws {
        guard HybridClock.isAhead(change.stamp.time, server: now, limitMilliseconds: limits.clockAheadMillisecondsMax)
        else { return }
        throw Violation(.clockBound, "the server stored \(change.stamp), which is ahead of its clock")
    }
}
