internal import RoostModel
internal import RoostProtocol

/// The check of stamps that are further ahead than the server accepts (protocol.md §6.4).
struct StampBound {
    /// The maximum wait in seconds for which the client is asked to retry. A stamp that is within the bound so soon need
    /// not be replaced.
    private static let retryAfterMax: UInt64 = 10

    private let clock: ServerClock
    private let aheadMax: UInt64
    private let bound: UInt64

    init(_ clock: ServerClock, _ limits: Limits) {
        self.clock = clock
        aheadMax = limits.clockAheadMillisecondsMax
        bound = clock.bound(aheadMax: aheadMax)
    }

    /// Checks one stamp.
    ///
    /// - Parameter action: The beginning of the message: the failed action.
    /// - Returns: ``ErrorCode/clockAhead`` for a stamp beyond the bound.
    func fault(of stamp: HybridTimestamp, _ action: String) -> ProtocolError? {
        guard stamp.milliseconds > bound else { return nil }
        let seconds = clock.secondsUntil(stamp.milliseconds, aheadMax: aheadMax)
        let now = clock.seen ?? 0
        return ProtocolError(
            .clockAhead,
            "\(action): a stamp is \(stamp.milliseconds - now) ms ahead of the server's clock, the limit is "
                + "\(bound - now) ms. Stamp the changes again and push.",
            serverTime: now, retryAfter: seconds <= Self.retryAfterMax ? Int(seconds) : nil)
    }
}
