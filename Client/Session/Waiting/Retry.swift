/// The trouble of a lane, from its first failure until a success, and the time of its next attempt.
struct Retry: Hashable, Sendable {
    let reason: WaitReason
    /// The first failure of the row.
    let since: Moment
    /// Failures in a row.
    let attempts: Int
    /// The time of the next attempt; `nil` while one is under way.
    private(set) var until: Moment?
    /// The earliest time of the next attempt, also after a wake.
    private let earliest: Moment
    /// Failures in a row since the last wake, by which the next wait grows.
    private let failures: Int
    /// Whether a wake came since the attempt under way began.
    private var isWoken = false

    /// The wait after a failure that followed `previous`.
    ///
    /// - Parameters:
    ///   - retryAfter: The server's demand. Nothing shortens it.
    ///   - pause: The minimum wait. A wake shortens it.
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

    /// Moves the next attempt forward, as far as is allowed. If the attempt under way fails, the next one follows soon.
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
