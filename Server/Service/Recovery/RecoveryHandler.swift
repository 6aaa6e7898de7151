package import RoostModel
package import RoostProtocol

/// The recovery of records that a restored server has lost from the replicas that still have them (protocol.md §7.7).
package struct RecoveryHandler: Sendable {
    private static let dayMilliseconds: UInt64 = 24 * 3600 * 1000

    private let limits: Limits
    private let random: RandomSource

    package init(limits: Limits, random: RandomSource) {
        self.limits = limits
        self.random = random
    }

    /// Starts a new incarnation of a scope's history, in which replicas may bring back records.
    ///
    /// Every earlier checkpoint is answered with `history_changed` from then on, so that every replica compares its
    /// records.
    ///
    /// - Parameter alien: An epoch from a checkpoint that this copy of the scope never had.
    /// - Returns: The scope's new state.
    package func begin(
        _ scope: StoredScope, ending alien: UInt64? = nil, in transaction: any StoreTransaction, now: UInt64
    ) throws -> StoredScope {
        var scope = scope
        scope.past.endedEpochs.append(scope.epoch)
        if let alien, alien != scope.epoch { scope.past.endedEpochs.append(alien) }
        scope.epoch = random.number()
        scope.past.recoveringUntil = now + UInt64(limits.recoveringDays) * Self.dayMilliseconds
        try transaction.update(epoch: scope.epoch, scope.past, of: scope.key)
        return scope
    }

    /// Starts a new incarnation because of a checkpoint that this server made and that is not in its history.
    ///
    /// - Returns: `false` if another request has done so already.
    package func noticeRollback(
        _ position: CheckpointSeal.Position, of key: ScopeKey, in transaction: any StoreTransaction, now: UInt64
    ) throws -> Bool {
        guard let scope = try transaction.scope(key) else { throw StoreError.damaged("a replica has no scope") }
        guard try position.standing(in: scope, transaction) == .foreign else { return false }
        _ = try begin(scope, ending: position.epoch, in: transaction, now: now)
        return true
    }

    /// Starts a new incarnation of every scope, because the store was restored from a backup on purpose.
    ///
    /// - Returns: The number of scopes.
    package func beginAll(in transaction: any StoreTransaction, now: UInt64) throws -> Int {
        let keys = try transaction.scopes()
        for key in keys {
            guard let scope = try transaction.scope(key) else {
                throw StoreError.damaged("a scope is listed and missing")
            }
            _ = try begin(scope, in: transaction, now: now)
        }
        return keys.count
    }

    /// Merges the records that a replica brings back like a push, but with their original stamps.
    ///
    /// - Returns: The number of records from which the server learned something new, the records that were purged without
    ///   the replica's knowledge, and the effects outside the store.
    /// - Throws: ``ProtocolError`` if the request is refused. Nothing is stored then.
    package func handle(
        _ request: PreparedRecovery, by member: Principal, in transaction: any StoreTransaction, clock: ServerClock,
        now: UInt64
    ) throws -> (stored: Int, purged: [RecordKey], effects: PushEffects) {
        guard let replica = try transaction.replica(member.replica, in: member.scope), !replica.isRevoked else {
            throw AccessHandler.revoked
        }
        guard replica.role >= .editor else {
            throw ProtocolError(
                .forbidden, "Cannot bring records back: this device is a viewer. Ask an owner for the role editor.")
        }
        guard let scope = try transaction.scope(replica.scope) else {
            throw StoreError.damaged("a replica has no scope")
        }
        try request.checkStamps(clock, limits: limits)
        var merge = TransactionMerge(
            in: scope.key, of: transaction, capacity: request.changes.count,
            hasPurged: scope.past.purged > 0)
        let purged = try self.purged(request, unknownTo: replica, transaction, now: now)
        for change in request.changes where !purged.contains(change.change.key) { _ = try merge.apply(change) }
        var effects = PushEffects()
        effects.collisions = merge.collisions.map { .init(record: $0.key, stamp: $0.stamp) }
        // A request that is resent because its first reply was lost may arrive after the end of the recovery.
        guard merge.merged.contains(where: \.isChanged) else { return (0, purged.sorted(), effects) }
        guard scope.past.isRecovering(at: now) else {
            throw ProtocolError(
                .notRecovering,
                "Cannot bring records back: this scope has lost nothing that it knows of, or too long ago. Write them again."
            )
        }
        var head = scope.head
        // The rows have no author: the replica gets them with its next page as well, in case it does not receive the reply.
        let rows = MergedRows(merge.merged, by: .unregistered, seen: 0, echo: 0, advancing: &head)
        if let refusal = ScopeQuota(limits).refusal(from: scope.head, to: head) {
            throw ProtocolError(refusal.code, refusal.message)
        }
        try rows.write(to: transaction, in: scope.key, head)
        try transaction.update(head, of: scope.key)
        effects.news = head.sequence...head.sequence
        return (rows.count, purged.sorted(), effects)
    }

    /// Returns the purged records whose purge the replica may not have learned of: it would bring them back by mistake. A
    /// record with a stamp younger than the horizon was not purged; it was created again and then lost. A delete alone
    /// brings no record back.
    private func purged(
        _ request: PreparedRecovery, unknownTo replica: StoredReplica, _ snapshot: any StoreSnapshot, now: UInt64
    ) throws -> Set<RecordKey> {
        var purged: Set<RecordKey> = []
        var young: Set<RecordKey> = []
        // Identifiers may remain from before purging was switched off.
        let oldest = now - min(now, UInt64(max(limits.horizonDays, 1)) * Self.dayMilliseconds)
        for change in request.changes {
            let key = change.change.key
            if change.change.stamp.milliseconds >= oldest { young.insert(key) }
            if case .put = change.change.kind, let sequence = try snapshot.purgedSequence(of: key, in: replica.scope),
                sequence > replica.cursor ?? 0
            {
                purged.insert(key)
            }
        }
        return purged.subtracting(young)
    }
}
