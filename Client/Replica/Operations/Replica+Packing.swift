internal import GRDB
internal import RoostModel
internal import RoostProtocol

/// Resizing of sealed pushes: smaller ones if something on the way to the server, such as a proxy, accepts no body of their
/// size; larger ones again later.
extension Replica {
    /// Splits push `number`, which no server has stored, and the pushes sealed after it into smaller ones. The changes,
    /// their stamps and their order stay, so that a part that was already sent remains the beginning of its transaction.
    ///
    /// - Parameters:
    ///   - bytes: The maximum size of a push's changes. A single change may be larger.
    /// - Returns: The push that has the number now; `nil` if it cannot be smaller and nothing was changed.
    package func shrinkPushes(from number: UInt64, toBytes bytes: Int) throws -> SealedPush? {
        try engineWrite("seal smaller pushes") { database in
            let pushes = try unsentPushes(from: number, database)
            guard let first = pushes.first, first.number == number else { return nil }
            var repacker = PushRepacker(from: number, first.checkpoint, bytesMax: bytes)
            for push in pushes {
                for part in push.transactions { repacker.add(part) }
                // Pushes stay separate: they may have been divided to find a transaction that the server refuses.
                repacker.close()
            }
            guard let next = repacker.pushes.first, next.transactions != first.transactions else { return nil }
            return try replace(number, repacker.pushes, database)
        }
    }

    /// Joins the unsent pushes from `number` on into larger ones.
    ///
    /// - Parameter limits: The limits of a push.
    /// - Returns: The push that has the number now; `nil` if it cannot be larger and nothing was changed.
    package func joinPushes(from number: UInt64, within limits: PushLimits) throws -> SealedPush? {
        try engineWrite("seal larger pushes") { database in
            let state = StateStore(database: database)
            guard try Quarantine.limitNames.allSatisfy({ try state.integer($0) == nil }) else { return nil }
            let pushes = try unsentPushes(from: number, database)
            guard let first = pushes.first, first.number == number else { return nil }
            var repacker = PushRepacker(
                from: number, first.checkpoint, bytesMax: limits.bytesPerPush, changesMax: limits.changesPerPush)
            for part in Self.joined(pushes) { repacker.add(part) }
            repacker.close()
            guard repacker.pushes.count < pushes.count else { return nil }
            return try replace(number, repacker.pushes, database)
        }
    }

    /// Returns the parts of pushes, with all parts of one transaction joined.
    private static func joined(_ pushes: [PushRequest]) -> [PushRequest.Transaction] {
        var parts: [PushRequest.Transaction] = []
        for part in pushes.lazy.flatMap(\.transactions) {
            if let last = parts.last, last.continues {
                parts[parts.count - 1].changes += part.changes
                parts[parts.count - 1].continues = part.continues
            } else {
                parts.append(part)
            }
        }
        return parts
    }

    private func unsentPushes(from number: UInt64, _ database: Database) throws -> [PushRequest] {
        let query = try database.query("SELECT body FROM roost_push WHERE staged = 0 AND number >= ? ORDER BY number")
        query.bind(1, number)
        return try query.all { try $0.push(0) }
    }

    private func replace(_ number: UInt64, _ pushes: [PushRequest], _ database: Database) throws -> SealedPush? {
        let removal = try database.query("DELETE FROM roost_push WHERE staged = 0 AND number >= ?")
        removal.bind(1, number)
        try removal.run()
        return try store(pushes, database)
    }
}
