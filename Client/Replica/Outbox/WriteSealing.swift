internal import GRDB
internal import Synchronization

/// How what this program writes is sealed by the transaction that writes it, while a session waits for nothing else: one commit less, and
/// at FULL one wait for the disk less, until it can be sent (decision 155).
package struct WriteSealing: Sendable {
    fileprivate let limits: PushLimits
    fileprivate let encode: @Sendable (SealedPush) throws -> [UInt8]

    /// More is left to the session: who writes is not to wait for it.
    static let entriesMax = 64

    /// - Parameters:
    ///   - limits: As for ``Replica/sealPushes(limits:after:seen:encode:found:)``.
    ///   - encode: Makes the bytes that are sent; they are stored with the push.
    package init(limits: PushLimits, encode: @escaping @Sendable (SealedPush) throws -> [UInt8]) {
        self.limits = limits
        self.encode = encode
    }
}

extension WriteSealing {
    /// Seals what a transaction of a replica's own program has written, at its end, with the little that waits beside it.
    ///
    /// - Parameters:
    ///   - step: What was read of what it wrote.
    ///   - hasMoved: Whether rows may be others than they were when that was read.
    /// - Returns: Whether it was sealed. Where that takes more than this, it is left to the session.
    func seal(
        _ transaction: LocalTransaction, _ step: Replica.RememberedStep, _ hasMoved: inout Bool, of replica: Replica
    ) throws -> Bool {
        let database = transaction.database
        guard !transaction.before.isEmpty, let state = try StateSnapshot.ifTrue(Self.sealing, in: database) else {
            return false
        }
        let entries = try Outbox(database: database).entries()
        let limits = Quarantine.limits(within: limits, state)
        let sealing = try Sealing(database, transaction.layout, state, limits, now: replica.now)
        let known = hasMoved ? nil : Sealing.Known(rows: transaction.rows, contents: step.contents)
        guard let sealed = try sealing.seal(entries, .left, known) else { return false }
        if sealed.isUnsettled, try transaction.settle() { hasMoved = true }
        _ = try replica.store(sealed, encode, database)
        return true
    }

    /// What sealing needs to know, where nothing is sealed, and something waits, but not much.
    private static let sealing = StateSnapshot.Names(
        Sealing.stateNames + Quarantine.limitNames,
        where: """
            NOT EXISTS (SELECT 1 FROM roost_push)
              AND (SELECT count(*) FROM (SELECT 1 FROM roost_outbox LIMIT \(entriesMax + 1))) BETWEEN 1 AND \(entriesMax)
            """)
}

/// Whether writes seal themselves, and whether one has that the session has not asked for.
final class WriteSealings: Sendable {
    private struct State {
        var sealing: WriteSealing?
        var hasSealed = false
    }

    private let state = Mutex(State())

    var current: WriteSealing? { state.withLock { $0.sealing } }
    var hasSealed: Bool { state.withLock { $0.hasSealed } }

    func set(_ sealing: WriteSealing?) { state.withLock { $0.sealing = sealing } }

    /// A write that has sealed itself is committed.
    func note() { state.withLock { $0.hasSealed = true } }

    /// - Returns: Whether one has since this was asked last.
    func take() -> Bool {
        state.withLock { state in
            defer { state.hasSealed = false }
            return state.hasSealed
        }
    }
}

extension Replica {
    /// From now on, what this program writes is sealed by the transaction that writes it, where nothing is sealed yet; `nil` ends that.
    ///
    /// What is sealed so is found by ``sealPushes(limits:after:seen:encode:found:)``.
    package func sealWrites(_ sealing: WriteSealing?) { writeSealings.set(sealing) }

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
