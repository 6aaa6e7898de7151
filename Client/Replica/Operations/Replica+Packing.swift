internal import GRDB
internal import RoostModel
internal import RoostProtocol

/// Sealed pushes are made smaller where something between here and the server takes no body of their size, and larger again later.
extension Replica {
    /// Divides push `number`, which no server has stored, and those that are sealed after it into smaller ones: the same changes with the
    /// same stamps in the same order, so that what was sent of a transaction before stays its beginning.
    ///
    /// - Parameters:
    ///   - bytes: What the changes of a push may take at most; one change alone may be larger.
    /// - Returns: The push that has the number now; `nil` where it cannot be smaller, and nothing was changed.
    package func shrinkPushes(from number: UInt64, toBytes bytes: Int) throws -> NextPush? {
        try engineWrite("seal smaller pushes") { database in
            let pushes = try unsentPushes(from: number, database)
            guard let first = pushes.first, first.number == number else { return nil }
            var repacker = PushRepacker(from: number, first.checkpoint, bytesMax: bytes)
            for push in pushes {
                for part in push.transactions { repacker.add(part) }
                // Somebody may be looking for a transaction that the server refuses: what was apart stays apart.
                repacker.close()
            }
            guard let next = repacker.pushes.first, next.transactions != first.transactions else { return nil }
            return try replace(number, repacker.pushes, database)
        }
    }

    /// Joins the pushes from `number` on, none of which was sent, into larger ones.
    ///
    /// - Parameter limits: Those of a push.
    /// - Returns: As ``shrinkPushes(from:toBytes:)``, where it cannot be larger.
    package func joinPushes(from number: UInt64, within limits: PushLimits) throws -> NextPush? {
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

    /// The parts of pushes, those of one transaction as one.
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

    private func replace(_ number: UInt64, _ pushes: [PushRequest], _ database: Database) throws -> NextPush? {
        let removal = try database.query("DELETE FROM roost_push WHERE staged = 0 AND number >= ?")
        removal.bind(1, number)
        try removal.run()
        return try store(pushes, database)
    }
}
