internal import RoostMerge
internal import RoostModel
package import RoostProtocol

/// The decision about a push, and its storage, inside one transaction (protocol.md §6).
package struct PushHandler: Sendable {
    private let limits: Limits
    private let recovery: RecoveryHandler

    package init(limits: Limits, recovery: RecoveryHandler) {
        self.limits = limits
        self.recovery = recovery
    }

    /// Handles a push.
    ///
    /// A repeated push gets the stored reply and changes nothing.
    ///
    /// - Parameters:
    ///   - clock: The clock that bounds the stamps.
    ///   - now: Milliseconds since 1970.
    /// - Returns: The encoded ``PushReply``.
    /// - Throws: ``ProtocolError`` for a push that is refused as a whole. Nothing is stored, and its number is not used up.
    package func handle(
        _ push: PreparedPush, by member: Principal, in transaction: any StoreTransaction, clock: ServerClock,
        now: UInt64
    ) throws -> (reply: [UInt8], effects: PushEffects) {
        guard var replica = try transaction.replica(member.replica, in: member.scope), !replica.isRevoked else {
            throw ProtocolError(
                .revoked, "Cannot push: this device's access was taken away. Ask an owner for a new invite.")
        }
        var progress = try transaction.progress(of: replica.id, in: replica.scope)
        #if ROOST_SEEDED_BUGS
            let checksNumber = !SeededBug.pushNumberUnchecked.isOn
            if !checksNumber { progress.stamp = 0 }
        #else
            let checksNumber = true
        #endif
        if checksNumber {
            if push.number == progress.number, push.hash == progress.hash { return (progress.reply, PushEffects()) }
            try checkNumber(push, progress)
        }
        guard replica.role >= .editor else {
            throw ProtocolError(.forbidden, "Cannot push: this device is a viewer. Ask an owner for the role editor.")
        }
        try checkStamps(push, of: replica.id, after: progress.stamp, clock)
        guard var scope = try transaction.scope(replica.scope) else {
            throw StoreError.damaged("a replica has no scope")
        }
        let before = scope
        let standing = try push.checkpoint?.standing(in: scope, transaction)
        if standing == .foreign {
            scope = try recovery.begin(scope, ending: push.checkpoint?.epoch, in: transaction, now: now)
        }

        var work = PushWork(limits: limits, scope: scope, replica: replica.id, progress: progress, in: transaction)
        work.refusesEditsOfUnknown = scope.past.purged > 0 && !scope.past.isRecovering(at: now)
        if standing == .past, let checkpoint = push.checkpoint, checkpoint.settled >= scope.past.floor {
            (work.seen, work.echo) = (checkpoint.sequence, checkpoint.echo)
        } else {
            // The push was made before the replica's first page, before a rollback of the server or before a purge for which
            // the replica has to resynchronise fully, and perhaps not by the current copy of the replica. Nothing proves that
            // the replica has the stored data.
            work.author = .unregistered
        }
        if standing == .foreign { work.recordRollback(push.checkpoint) }
        for item in push.transactions { try work.take(item) }
        let reply = PushReply(
            number: push.number, results: work.results, current: try work.currentRecords(), serverTime: now)
        progress = work.progress
        progress.number = push.number
        progress.hash = push.hash
        progress.reply = reply.protobuf()
        if work.head != scope.head { try transaction.update(work.head, of: scope.key) }
        #if ROOST_SEEDED_BUGS
            if SeededBug.replyOutsideTransaction.isOn, now % 4 == 0 { return (progress.reply, work.effects) }
        #endif
        try transaction.update(progress, of: replica.id, in: scope.key)
        if replica.see(at: now) { try transaction.update(replica) }
        var effects = work.effects
        if work.addition.scope != before { effects.addition = work.addition }
        return (progress.reply, effects)
    }

    private func checkNumber(_ push: PreparedPush, _ progress: StoredProgress) throws(ProtocolError) {
        if push.number <= progress.number {
            throw ProtocolError(
                .replicaForked,
                "Cannot accept push \(push.number): this replica has pushed something else under that number (its last "
                    + "is \(progress.number)). Its file was copied or restored; renew the replica and push again.")
        }
        if push.number > progress.number + 1 {
            throw ProtocolError(
                .serverRolledBack,
                "Cannot accept push \(push.number): the last known here is \(progress.number). The server was "
                    + "restored from a backup; renew the replica and push again.")
        }
    }

    private func checkStamps(
        _ push: PreparedPush, of replica: ReplicaID, after last: UInt64, _ clock: ServerClock
    ) throws(ProtocolError) {
        var last = last
        for change in push.transactions.lazy.flatMap(\.changes) {
            let stamp = change.change.stamp
            #if ROOST_SEEDED_BUGS
                let isForeign = stamp.replica != replica && !SeededBug.foreignStampUnchecked.isOn
            #else
                let isForeign = stamp.replica != replica
            #endif
            if isForeign {
                throw ProtocolError(
                    .foreignStamp,
                    "Cannot accept push \(push.number): the stamp of record \(change.change.key) carries replica "
                        + "\(stamp.replica), expected \(replica). Stamp changes with this replica's id.")
            }
            if let fault = StampBound(clock, limits).fault(of: stamp, "Cannot accept push \(push.number)") {
                throw fault
            }
            guard stamp.time > last else {
                throw ProtocolError(
                    .stampsNotIncreasing,
                    "Cannot accept push \(push.number): the stamp of record \(change.change.key) is not greater than "
                        + "the one before it. Stamp each change later than the last.")
            }
            last = stamp.time
        }
    }
}

extension StoredReplica {
    /// Records the replica's presence; returns whether the recorded hour changed.
    mutating func see(at now: UInt64) -> Bool {
        let hour = now - now % 3_600_000
        guard hour > lastSeen else { return false }
        lastSeen = hour
        return true
    }
}
