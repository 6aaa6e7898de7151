/// The trouble a lane is in, from its first failure until a success, and when it tries again.
struct Retry: Hashable, Sendable {
    let reason: WaitReason
    /// The first failure of the row.
    let since: Moment
    /// Failures in a row.
    let attempts: Int
    /// When to try again; `nil` while an attempt is under way.
    private(set) var until: Moment?
    /// No attempt before this, whatever wakes the session.
    private let earliest: Moment

    /// The wait after a failure that followed `previous`.
    ///
    /// - Parameter retryAfter: What the server asked for; nothing shortens it.
    init(
        after previous: Retry?, because reason: WaitReason, retryAfter: Duration?, at now: Moment,
        using generator: inout some RandomNumberGenerator
    ) {
        self.reason = reason
        since = previous?.since ?? now
        attempts = (previous?.attempts ?? 0) + 1
        earliest = now.advanced(by: max(Backoff.least, min(retryAfter ?? .zero, Backoff.retryAfterMost)))
        until = max(now.advanced(by: Backoff.delay(attempts, using: &generator)), earliest)
    }

    /// Moves the next attempt forward to now, or as near as is allowed.
    mutating func wake(at now: Moment) {
        guard let until else { return }
        self.until = min(until, max(now, earliest))
    }

    /// Marks that an attempt is under way.
    mutating func begin() { until = nil }

    /// Whether the next attempt may start.
    func isOver(at now: Moment) -> Bool { until.map { $0 <= now } ?? true }
}
