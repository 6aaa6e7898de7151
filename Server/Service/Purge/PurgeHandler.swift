internal import RoostModel
internal import RoostProtocol

/// The limits of purges, and the deletion of identifiers of purged records that every active replica has learned
/// (protocol.md §11.4).
struct PurgeHandler: Sendable {
    private static let dayMilliseconds: UInt64 = 24 * 3600 * 1000

    /// The minimum age of a purged change, and the maximum absence of an active replica.
    let horizonMilliseconds: UInt64

    init(limits: Limits) {
        horizonMilliseconds = UInt64(max(0, limits.horizonDays)) * Self.dayMilliseconds
    }

    /// Whether purging is on.
    var isOn: Bool { horizonMilliseconds > 0 }

    /// Returns the sequence that every active replica has. No replica is active if all were away for longer than the
    /// horizon.
    func passed(in scope: ScopeKey, _ snapshot: any StoreSnapshot, now: UInt64) throws -> UInt64 {
        let since = isOn ? now - min(now, horizonMilliseconds) : 0
        return try snapshot.replicas(of: scope).reduce(UInt64.max) { passed, replica in
            guard !replica.isRevoked, replica.pulled >= since, let cursor = replica.cursor else { return passed }
            return min(passed, cursor)
        }
    }

    /// Deletes the identifiers of purged records that every active replica has learned, and raises the floor to their
    /// sequence.
    ///
    /// - Returns: The sequence that every active replica has, or `nil` while nothing may be purged.
    func settle(_ key: ScopeKey, in transaction: any StoreTransaction, now: UInt64) throws -> UInt64? {
        guard let scope = try transaction.scope(key), !scope.past.isRecovering(at: now) else { return nil }
        let passed = try passed(in: key, transaction, now: now)
        var past = scope.past
        try transaction.forEachPurged(in: key, after: past.floor) { sequence, _ in
            if sequence <= passed { past.floor = sequence }
            return sequence <= passed
        }
        if past != scope.past {
            try transaction.removePurged(upTo: past.floor, in: key)
            try transaction.update(epoch: scope.epoch, past, of: key)
        }
        return passed
    }
}
