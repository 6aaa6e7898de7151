internal import GRDB
internal import Synchronization

/// How what this program writes is sealed by the transaction that writes it, while a session waits for nothing else: one commit less, and
/// at FULL one wait for the disk less, until it can be sent (decision 155).
struct WriteSealing: Sendable {
    /// As for ``Replica/sealPushes(limits:after:seen:found:)``.
    let limits: PushLimits

    /// More is left to the session: who writes is not to wait for it.
    static let entriesMax = 64
}

extension WriteSealing {
    /// Seals what a transaction of a replica's own program has written, at its end, with the little that waits beside it.
    ///
    /// - Parameters:
    ///   - step: What was read of what it wrote.
    ///   - hasMoved: Whether rows may be others than they were when that was read.
    /// - Returns: Whether it was sealed. Where that takes more than this, or fails, it is left to the session, which meets what is wrong with
    ///   the file and sees to it: who writes is not kept from it.
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
        guard let state = try StateSnapshot.ifTrue(Self.sealing, in: database) else { return (false, false) }
        let entries = try Outbox(database: database).entries()
        let limits = Quarantine.limits(within: limits, state)
        let sealing = try Sealing(database, transaction.layout, state, limits, now: replica.now)
        guard let sealed = try sealing.seal(entries, .left, known) else { return (false, false) }
        let hasMoved = try sealed.isUnsettled && transaction.settle()
        _ = try replica.store(sealed, database)
        return (true, hasMoved)
    }

    /// What sealing needs to know, where nothing is sealed, and something waits, but not much.
    private static let sealing = StateSnapshot.Names(
        Sealing.stateNames + Quarantine.limitNames,
        where: """
            NOT EXISTS (SELECT 1 FROM roost_push)
              AND (SELECT count(*) FROM (SELECT 1 FROM roost_outbox LIMIT \(entriesMax + 1))) BETWEEN 1 AND \(entriesMax)
            """)
}

/// Whether writes seal themselves, and a hint that one has. The table of sealed pushes is what counts: the hint only says which look at it
/// is likely to be enough.
final class WriteSealings: Sendable {
    private let sealing = Mutex<WriteSealing?>(nil)
    private let hint = Atomic(false)

    var current: WriteSealing? { sealing.withLock { $0 } }

    func set(_ sealing: WriteSealing?) { self.sealing.withLock { $0 = sealing } }

    /// A write that has sealed itself is committed.
    func note() { hint.store(true, ordering: .relaxed) }

    /// - Returns: Whether one has since this was asked last, most likely.
    func take() -> Bool { hint.exchange(false, ordering: .relaxed) }
}

extension Replica {
    /// From now on, what this program writes is sealed by the transaction that writes it, where nothing is sealed yet; `nil` ends that.
    ///
    /// ``sealPushes(limits:after:seen:found:)`` finds what is sealed so.
    package func sealWrites(within limits: PushLimits?) { writeSealings.set(limits.map { WriteSealing(limits: $0) }) }

    /// What a write has sealed; `nil` where nothing is sealed.
    func lookForSealed(_ seen: inout ForeignCommits?) throws -> Sealed? {
        let (commits, sealed) = try engineLook("look for what is sealed") { database in
            // Asked first: what is committed between the two is then found by the next look.
            (try database.foreignCommits(), try sealedBefore(database))
        }
        if sealed != nil { seen = commits }
        return sealed
    }
}
