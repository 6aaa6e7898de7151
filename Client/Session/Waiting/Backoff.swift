/// The wait before a retry: longer with each failure, and random, so that many replicas spread out.
package struct Backoff: Hashable, Sendable {
    /// The shortest time between two attempts, also after a wake.
    package static let least = Duration.milliseconds(500)
    package static let most = Duration.seconds(60)
    /// The upper bound of a server's `retryAfter`.
    package static let retryAfterMost = Duration.seconds(3600)

    /// The longest wait after the failure number `attempt`, from 1: 1, 2, 4, 8, 16, 32, then 60 s.
    package static func ceiling(_ attempt: Int) -> Duration {
        // 0.5 s × 2⁷ is 64 s, over the most already.
        min(least * (1 << min(max(attempt, 0), 7)), most)
    }

    /// A wait between ``least`` and ``ceiling(_:)``, each millisecond equally likely ("full jitter").
    package static func delay(
        _ attempt: Int, using generator: inout some RandomNumberGenerator
    ) -> Duration {
        let span = Moment(milliseconds: 0).advanced(by: ceiling(attempt) - least).milliseconds
        return least + .milliseconds(Int64.random(in: 0...span, using: &generator))
    }
}
