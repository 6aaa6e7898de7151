internal import GRDB
internal import Synchronization

/// Seals local writes inside their own transaction while the session is idle (decision 155). That saves one commit before
/// they can be sent, and at FULL durability one wait for the disk.
///
/// Plain path: the session seals (``Replica/sealPushes(limits:after:seen:found:)``). `WriteSealingTests` checks the pushes.
struct WriteSealing: Sendable {
    /// The limits of a push, as for ``Replica/sealPushes(limits:after:seen:found:)``.
    let limits: PushLimits

    /// The maximum number of entries to seal. A larger outbox is left to the session, so that the writer does not wait.
    static let entriesMax = 64
}

extension WriteSealing {
    /// Seals the changes of a transaction of the replica's own program at its end, together with a few other pending
    /// changes.
    ///
    /// - Parameters:
    ///   - step: The rows that were read of the written records.
    ///   - hasMoved: Whether rows may have changed since `step` was read. It is set to true if sealing changes rows.
    /// - Returns: Whether the changes were sealed. If sealing takes more work or fails, it is left to the session, which
    ///   also handles faults of the file. The write itself succeeds.
    func seal(
        _ transaction: LocalTransaction, _ step: Replica.RememberedStep, _ hasMoved: inout Bool, of replica: Replica
    ) throws -> Bool {
        guard !transaction.before.isEmpty else { return false }
        let known = hasMoved ? nil : Sealing.Known(rows: transaction.rows, contents: step.contents)
        let done = try transaction.database.unlessItFails { try seal(transaction, known, of: replica) }
        if done?.hasMoved ?? false { hasMoved = true }
        return done?.isSealed ?? false
    }

    private func seal(
        _ transaction: LocalTransaction, _ known: Sealing.Known?, of replica: Replica
    ) throws -> (isSealed: Bool, hasMoved: Bool) {
        let database = transaction.database
        guard let control = try ControlRow.first(Self.controlSQL, database) else { return (false, false) }
        let entries = try Outbox(database: database).entries()
        let limits = Quarantine.limits(within: limits, control)
        let sealing = try Sealing(database, transaction.layout, control, limits, now: replica.now)
        guard let sealed = try sealing.seal(entries, .left, known) else { return (false, false) }
        let hasMoved = try sealed.isUnsettled && transaction.settle()
        _ = try replica.store(sealed, database)
        return (true, hasMoved)
    }

    /// The statement that reads the control row only if no push is sealed and the outbox holds at least one entry and at most
    /// ``entriesMax``.
    private static let controlSQL = """
        \(ControlRow.selectSQL) AND NOT EXISTS (SELECT 1 FROM roost_push)
          AND (SELECT count(*) FROM (SELECT 1 FROM roost_outbox LIMIT \(entriesMax + 1))) BETWEEN 1 AND \(entriesMax)
        """
}

/// The setting for writes that seal themselves, and a hint that one has. The hint only tells whether a read is likely to
/// find a sealed push; the table of sealed pushes is authoritative.
final class WriteSealings: Sendable {
    private let sealing = Mutex<WriteSealing?>(nil)
    private let hint = Atomic(false)

    var current: WriteSealing? { sealing.withLock { $0 } }

    func set(_ sealing: WriteSealing?) { self.sealing.withLock { $0 = sealing } }

    /// Records that a write which has sealed itself is committed.
    func note() { hint.store(true, ordering: .relaxed) }

    /// - Returns: Whether a write has most likely sealed itself since the last call.
    func consume() -> Bool { hint.exchange(false, ordering: .relaxed) }
}

extension Replica {
    /// Makes local writes of this program seal themselves in their own transaction if nothing is sealed yet. `nil` ends
    /// that.
    ///
    /// ``sealPushes(limits:after:seen:found:)`` finds the sealed pushes.
    package func sealWrites(within limits: PushLimits?) { writeSealings.set(limits.map { WriteSealing(limits: $0) }) }

    /// Returns the push that a write has sealed; `nil` if nothing is sealed.
    func lookForSealed(_ seen: inout ForeignCommits?) throws -> Sealed? {
        let (commits, sealed) = try engineLook("look for what is sealed") { database in
            // Read before the pushes: the next check then finds a commit between the two reads.
            (try database.foreignCommits(), try sealedBefore(database))
        }
        if sealed != nil { seen = commits }
        return sealed
    }
}
