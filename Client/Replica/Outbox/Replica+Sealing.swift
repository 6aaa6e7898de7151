internal import GRDB
internal import RoostModel

extension Replica {
    /// Seals what waits in the outbox into pushes, unless some are sealed already.
    ///
    /// - Parameters:
    ///   - encode: Makes the bytes that are sent; they are stored with the push, so that a repetition is the same.
    ///   - found: Told where the file is damaged, and what that did to changes that wait.
    /// - Returns: The next push to send, or `nil` when nothing waits.
    package func sealPushes(
        limits: PushLimits, encode: (SealedPush) throws -> [UInt8], found: (OutboxDamage) -> Void = { _ in }
    ) throws -> NextPush? {
        var damage = try checkOutboxNowAndThen() ?? OutboxDamage()
        var result = try isIdle() ? .nothingWaits : sealOnce(limits, .lookedInto, encode, &damage)
        if case .hasNameless = result {
            if let mended = try mendOutbox(.namesNothing) { damage = mended.joined(to: damage) }
            result = try sealOnce(limits, .taken, encode, &damage)
        }
        if damage != OutboxDamage() { found(damage) }
        guard case .next(let push) = result else { return nil }
        return push
    }

    /// Spares a write where there is nothing to do, as after most pushes.
    private func isIdle() throws -> Bool {
        try engineLook("look for changes that wait") { database in
            try database.isEmpty("roost_outbox") && database.isEmpty("roost_push")
                && !Quarantine(database: database).hasLimits
        }
    }

    private static let sealing = StateSnapshot.Names([.replica] + Quarantine.limitNames)

    private enum Sealed {
        case nothingWaits
        case next(NextPush)
        /// Nothing was sealed: an entry of the outbox names nothing.
        case hasNameless
    }

    private func sealOnce(
        _ limits: PushLimits, _ nameless: Sealing.Nameless, _ encode: (SealedPush) throws -> [UInt8],
        _ damage: inout OutboxDamage
    ) throws -> Sealed {
        try engineWrite("seal local changes") { database in
            #if ROOST_SEEDED_BUGS
                if SeededBug.retryWithNewNumber.isOn, let push = try nextPush(database) {
                    try database.query("DELETE FROM roost_push").run()
                    try StateStore(database: database).set(.pushNumber, .integer(Int64(clamping: push.number)))
                }
            #endif
            if let push = try nextPush(database) { return .next(push) }
            guard try !database.isEmpty("roost_outbox") else {
                try Quarantine(database: database).liftLimits()
                return .nothingWaits
            }
            let state = try StateSnapshot(Self.sealing, in: database)
            let (replica, limits) = (try state.replica, Quarantine.limits(within: limits, state))
            let sealing = try Sealing(database, layout, replica, limits, now: now)
            guard let (pushes, splits, found) = try sealing.seal(nameless) else { return .hasNameless }
            damage = found.joined(to: damage)
            try Settlement(database: database, layout: layout, replica: replica).settle()
            if splits > 0 {
                try Journal(database: database, now: now).event(
                    "split",
                    "A local transaction is larger than the server takes at once; it arrives in \(splits + 1) parts.")
            }
            return try store(pushes, encode, database)
        }
    }

    private func store(
        _ pushes: [SealedPush], _ encode: (SealedPush) throws -> [UInt8], _ database: Database
    ) throws -> Sealed {
        var next: Sealed?
        for push in pushes {
            let body = try encode(push)
            let query = try database.query("INSERT INTO roost_push(number, body, continues) VALUES (?, ?, ?)")
            query.bind(1, push.number)
            query.bind(2, body)
            query.bind(3, push.parts.last?.continues == true ? 1 : 0)
            try query.run()
            next = next ?? .next(NextPush(number: push.number, body: body, isLast: pushes.count == 1))
        }
        return next ?? .nothingWaits
    }

    private func nextPush(_ database: Database) throws -> NextPush? {
        try database.query(
            "SELECT number, body, number = (SELECT max(number) FROM roost_push) FROM roost_push "
                + "WHERE staged = 0 ORDER BY number LIMIT 1"
        ).first { NextPush(number: UInt64(clamping: $0.integer(0)), body: $0.bytes(1), isLast: $0.integer(2) != 0) }
    }
}
