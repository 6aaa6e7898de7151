internal import GRDB
internal import RoostModel

/// Isolates a transaction that the server refuses, by ever smaller pushes, so that the others can be sent.
struct Quarantine {
    let database: Database

    /// The next step for a push that was refused whole.
    enum Division: Hashable {
        /// The push is sealed again in smaller ones.
        case smaller
        /// The push holds one transaction, or a part of one.
        case single
    }

    /// Returns the limits in force while a refused transaction is searched for.
    static func limits(within limits: PushLimits, _ control: ControlRow) -> PushLimits {
        var limits = limits
        if let most = control.transactionsPerPush { limits.transactionsPerPush = most }
        if let most = control.changesPerPush { limits.changesPerPush = min(limits.changesPerPush, most) }
        return limits
    }

    func liftLimits() throws {
        let state = StateStore(database: database)
        for name in Self.limitNames where try state.integer(name) != nil { try state.set(name, .null) }
    }

    static let limitNames = [StateStore.Name.transactionsPerPush, .changesPerPush]

    /// Discards the sealed pushes that are not staged, and halves the maximum of the next ones.
    ///
    /// - Parameters:
    ///   - transactions: The transactions of the refused push.
    ///   - isTooLarge: Whether a smaller part of one transaction may be accepted where the whole is not.
    /// - Returns: ``Division/single`` where the push cannot be divided; nothing has changed then.
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
