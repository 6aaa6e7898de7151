package import RoostModel
package import RoostProtocol
internal import Synchronization

/// The rate limits of replicas and addresses.
package final class RateLimits: Sendable {
    /// A token bucket, which fills with time.
    private struct Bucket {
        var tokens: Double
        /// The time of the last refill, in milliseconds since 1970.
        var filled: UInt64
    }

    /// The recent failures of an address.
    private struct Failures {
        var count = 0
        /// The start of the counted minute, in milliseconds since 1970.
        var since: UInt64
        var blockedUntil: UInt64 = 0
        var blockSeconds: UInt64 = 30
    }

    private struct Changes {
        var count = 0
        /// The start of the counted hour, in milliseconds since 1970.
        var since: UInt64
    }

    private struct State {
        var buckets: [ReplicaID: Bucket] = [:]
        var failures: [String: Failures] = [:]
        var changes: [ReplicaID: Changes] = [:]
    }

    private static let entriesMax = 16384
    private static let bytesPerRequest = 1024 * 1024
    private static let blockSecondsMax: UInt64 = 3600

    private let limits: Limits
    private let state = Mutex(State())

    package init(_ limits: Limits) {
        self.limits = limits
    }

    /// Counts a request of a replica. A limit of 0 turns the counting off.
    ///
    /// - Throws: ``ErrorCode/tooManyRequests``.
    package func request(by replica: ReplicaID, now: UInt64) throws(ProtocolError) {
        guard limits.requestsPerSecond > 0 else { return }
        let rate = Double(limits.requestsPerSecond)
        let tokens = state.withLock { state in
            if state.buckets.count > Self.entriesMax { state.buckets.removeAll() }
            var bucket = state.buckets[replica] ?? Bucket(tokens: Double(limits.requestsBurst), filled: now)
            let elapsed = Double(now > bucket.filled ? now - bucket.filled : 0) / 1000
            bucket.tokens = min(Double(limits.requestsBurst), bucket.tokens + elapsed * rate)
            bucket.filled = now
            let tokens = bucket.tokens
            if tokens >= 1 { bucket.tokens -= 1 }
            state.buckets[replica] = bucket
            return tokens
        }
        guard tokens >= 1 else {
            throw ProtocolError(
                .tooManyRequests,
                "Cannot answer: this device asks more than \(limits.requestsPerSecond) times a second. Wait a second.",
                retryAfter: max(1, Int(((1 - tokens) / rate).rounded(.up))))
        }
    }

    /// Counts a large body or page of a request that has been counted: each MiB after the first counts as one more request.
    /// Later requests pay for it.
    package func bytes(_ count: Int, by replica: ReplicaID) {
        let more = count / Self.bytesPerRequest - 1
        guard limits.requestsPerSecond > 0, more > 0 else { return }
        state.withLock { $0.buckets[replica]?.tokens -= Double(more) }
    }

    /// Counts the changes of a push. A limit of 0 turns the counting off.
    ///
    /// - Throws: ``ErrorCode/tooManyRequests``, with the seconds until the end of the hour.
    package func changes(_ count: Int, by replica: ReplicaID, now: UInt64) throws(ProtocolError) {
        guard limits.changesPerHourMax > 0 else { return }
        let retryAfter: UInt64? = state.withLock { state in
            if state.changes.count > Self.entriesMax { state.changes.removeAll() }
            var changes = state.changes[replica] ?? Changes(since: now)
            // The hour is over, or the clock was ahead at its start.
            if now >= changes.since + 3_600_000 || now < changes.since { changes = Changes(since: now) }
            guard changes.count + count <= limits.changesPerHourMax else {
                return (changes.since + 3_600_000 - now) / 1000 + 1
            }
            changes.count += count
            state.changes[replica] = changes
            return nil
        }
        guard let retryAfter else { return }
        throw ProtocolError(
            .tooManyRequests,
            "Cannot take the push in: this device sends more than \(limits.changesPerHourMax) changes in an hour. Push "
                + "the rest later.", retryAfter: Int(clamping: retryAfter))
    }

    /// Checks that an address is not blocked, and counts nothing.
    ///
    /// - Throws: ``ErrorCode/tooManyRequests``.
    package func check(_ address: String, now: UInt64) throws(ProtocolError) {
        guard limits.unauthenticatedPerMinute > 0 else { return }
        let blockedUntil = state.withLock { $0.failures[address]?.blockedUntil ?? 0 }
        if blockedUntil > now { throw Self.blocked(until: blockedUntil, now: now) }
    }

    private static func blocked(until: UInt64, now: UInt64) -> ProtocolError {
        ProtocolError(
            .tooManyRequests, "Cannot answer: too many requests without a valid token came from this address. Wait.",
            retryAfter: Int(clamping: (until - now) / 1000 + 1))
    }

    /// Counts a request without a valid token. Over the limit, the address is blocked, each time for twice as long.
    ///
    /// A valid device token is never delayed because of other clients at its address. A limit of 0 turns the counting off.
    package func failure(from address: String, now: UInt64) throws(ProtocolError) {
        guard limits.unauthenticatedPerMinute > 0 else { return }
        let blockedUntil = state.withLock { state in
            // A blocked address stays blocked, however many addresses an attacker has.
            if state.failures.count > Self.entriesMax {
                state.failures = state.failures.filter { $0.value.blockedUntil > now }
                if state.failures.count > Self.entriesMax { state.failures.removeAll() }
            }
            var failures = state.failures[address] ?? Failures(since: now)
            // The clock was ahead at the start.
            if now < failures.since { failures = Failures(since: now) }
            if now >= failures.since + 60_000, now >= failures.blockedUntil {
                failures.count = 0
                failures.since = now
            }
            if now >= failures.blockedUntil {
                failures.count += 1
                if failures.count > limits.unauthenticatedPerMinute {
                    failures.blockSeconds = min(failures.blockSeconds * 2, Self.blockSecondsMax)
                    failures.blockedUntil = now + failures.blockSeconds * 1000
                    failures.count = 0
                }
            }
            state.failures[address] = failures
            return failures.blockedUntil
        }
        guard blockedUntil > now else { return }
        throw Self.blocked(until: blockedUntil, now: now)
    }
}
