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
    /// Failures in a row since there was a reason to hope: what the next wait grows with.
    private let failures: Int
    /// Whether there is one since the attempt began that is under way.
    private var isWoken = false

    /// The wait after a failure that followed `previous`.
    ///
    /// - Parameters:
    ///   - retryAfter: What the server asked for; nothing shortens it.
    ///   - pause: The least wait by itself; whoever wakes the session shortens it.
    init(
        after previous: Retry?, because reason: WaitReason, retryAfter: Duration?, pause: Duration = .zero,
        at now: Moment, using generator: inout some RandomNumberGenerator
    ) {
        self.reason = reason
        since = previous?.since ?? now
        attempts = (previous?.attempts ?? 0) + 1
        failures = (previous?.isWoken ?? false ? 0 : previous?.failures ?? 0) + 1
        earliest = now.advanced(by: max(Backoff.least, min(retryAfter ?? .zero, Backoff.retryAfterMost)))
        until = max(now.advanced(by: max(Backoff.delay(failures, using: &generator), pause)), earliest)
    }

    /// Moves the next attempt forward to now, or as near as is allowed; where one is under way that fails, the next comes soon.
    mutating func wake(at now: Moment) {
        guard let until else {
            isWoken = true
            return
        }
        self.until = min(until, max(now, earliest))
    }

    /// Marks that an attempt is under way.
    mutating func begin() {
        until = nil
        isWoken = false
    }

    /// Whether the next attempt may start.
    func isOver(at now: Moment) -> Bool { until.map { $0 <= now } ?? true }
}
