internal import GRDB
internal import RoostModel

/// Finds the transaction that the server does not take, by ever smaller pushes, so that the others can go.
struct Quarantine {
    let database: Database

    /// What is left to do about a push that was refused whole.
    enum Division: Hashable {
        /// It is sealed anew in smaller ones.
        case smaller
        /// It holds one transaction, or a part of one.
        case single
    }

    /// The limits in force while a transaction is looked for.
    ///
    /// - Parameter state: With the values of ``limitNames``.
    static func limits(within limits: PushLimits, _ state: StateSnapshot) -> PushLimits {
        var limits = limits
        if let most = state.integer(.transactionsPerPush) { limits.transactionsPerPush = Int(most) }
        if let most = state.integer(.changesPerPush) {
            limits.changesPerPush = min(limits.changesPerPush, Int(most))
        }
        return limits
    }

    func liftLimits() throws {
        let state = StateStore(database: database)
        for name in Self.limitNames where try state.integer(name) != nil { try state.set(name, .null) }
    }

    static let limitNames = [StateStore.Name.transactionsPerPush, .changesPerPush]

    /// Takes the sealing of a push back and halves what the next ones may hold.
    ///
    /// - Parameters:
    ///   - transactions: Those of the push.
    ///   - isTooLarge: Whether a smaller part of one transaction may pass where the whole does not.
    func divide(_ transactions: [[Change]], isTooLarge: Bool) throws -> Division {
        let state = StateStore(database: database)
        let changes = transactions.first?.count ?? 0
        if transactions.count > 1 {
            try state.set(.transactionsPerPush, .integer(Int64(transactions.count / 2)))
        } else if isTooLarge, changes > 1, try database.isEmpty("roost_push WHERE staged = 1") {
            try state.set(.changesPerPush, .integer(Int64(changes / 2)))
        } else {
            return .single
        }
        try database.query("DELETE FROM roost_push WHERE staged = 0").run()
        return .smaller
    }
}
