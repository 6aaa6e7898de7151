internal import GRDB
internal import Synchronization

extension Replica {
    /// Checks that the pages of the outbox and of the marks are intact, and rebuilds both if they are not: a change that is
    /// missing from the outbox is neither sent nor protected from pulled changes.
    ///
    /// - Returns: The corruption found since the last call; `nil` if there is none.
    /// - Throws: `ReplicaError` with the code `corrupt` if the outbox cannot be rebuilt; the file is unchanged then.
    package func checkOutbox() throws -> OutboxDamage? {
        try mendOutbox()
        return try consumeDamage()
    }

    /// Checks like ``checkOutbox()``, but at most once a second: a session checks when it starts and when it seals after
    /// each push, and a check within a second would only read cached pages.
    package func checkOutboxNowAndThen() throws -> OutboxDamage? {
        let now = now
        let isDue = lastOutboxCheck.withLock { last in !(last.map { (0..<1000).contains(now - $0) } ?? false) }
        if isDue { try mendOutbox() }
        return try consumeDamage()
    }

    private func consumeDamage() throws -> OutboxDamage? {
        let damage = foundDamage.withLock { found in
            defer { found = nil }
            return found
        }
        if damage?.isStored == true { try forgetUntold() }
        return damage
    }

    /// Rebuilds the outbox and the marks if their pages are corrupt.
    func mendOutbox() throws {
        let now = now
        // A check or repair that fails is repeated with the next call, however soon.
        lastOutboxCheck.withLock { $0 = nil }
        let isWhole = try engineLook("check what waits") { try OutboxCheck(database: $0).isWhole() }
        if !isWhole, let damage = try mendOutbox(.brokenPage) {
            foundDamage.withLock { $0 = damage.joined(to: $0) }
        }
        lastOutboxCheck.withLock { $0 = now }
    }

    /// Rebuilds the outbox if `sign` indicates corruption.
    ///
    /// - Returns: The corruption and its repair; `nil` if nothing was repaired.
    func mendOutbox(_ sign: OutboxRepair.Sign) throws -> OutboxDamage? {
        let damage = try withSecondConnection { second -> OutboxDamage? in
            let repaired = try unsettledWrite("mend the list of what waits") { database in
                try second.unsafeRead { looking in
                    try OutboxRepair(
                        database: database, looking: looking, layout: layout,
                        replica: StateStore(database: database).replica, now: now
                    ).run(sign)
                }
            }
            // Another process may have repaired it already.
            guard let repaired else { return nil }
            for table in repaired.tables {
                try second.unsafeRead { try OutboxRepair.free(table, engine, looking: $0) }
            }
            return repaired.damage
        }
        if damage != nil { try settle() }
        return damage
    }
}
