internal import GRDB
internal import Synchronization

extension Replica {
    /// Looks whether the pages of the outbox and of the marks are whole, and makes both anew where they are not: what is not in it would neither
    /// be sent nor be kept from what is pulled.
    ///
    /// - Returns: What was found since it was last asked; `nil` for nothing.
    /// - Throws: `ReplicaError` with the code `corrupt` where it cannot be made anew; the file is unchanged then.
    package func checkOutbox() throws -> OutboxDamage? {
        try mendOutbox()
        return try takeDamage()
    }

    /// The same, unless that was done within the last second: a session does so when it starts and seals after each push, and what is
    /// looked at would be in memory.
    package func checkOutboxNowAndThen() throws -> OutboxDamage? {
        let now = now
        let isDue = lastOutboxCheck.withLock { last in !(last.map { (0..<1000).contains(now - $0) } ?? false) }
        if isDue { try mendOutbox() }
        return try takeDamage()
    }

    private func takeDamage() throws -> OutboxDamage? {
        let damage = foundDamage.withLock { found in
            defer { found = nil }
            return found
        }
        if damage?.isStored == true { try forgetUntold() }
        return damage
    }

    /// Makes the outbox anew, if its pages are damaged.
    func mendOutbox() throws {
        let now = now
        // What could not be looked at or mended is looked at again, however soon.
        lastOutboxCheck.withLock { $0 = nil }
        let isWhole = try engineLook("check what waits") { try OutboxCheck(database: $0).isWhole() }
        if !isWhole, let damage = try mendOutbox(.brokenPage) {
            foundDamage.withLock { $0 = damage.joined(to: $0) }
        }
        lastOutboxCheck.withLock { $0 = now }
    }

    /// Makes the outbox anew, if `sign` is one of damage.
    ///
    /// - Returns: What was done; `nil` for nothing.
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
            // Another process may have been first.
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
