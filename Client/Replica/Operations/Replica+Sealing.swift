internal import GRDB
internal import RoostModel
internal import RoostProtocol

extension Replica {
    /// Seals like ``sealPushes(limits:after:seen:found:)``, for a caller that does not observe commits.
    @discardableResult
    package func sealPushes(
        limits: PushLimits, after reason: SealingReason = .look, found: (OutboxDamage) -> Void = { _ in }
    ) throws -> Sealed {
        var seen: ForeignCommits?
        return try sealPushes(limits: limits, after: reason, seen: &seen, found: found)
    }

    /// Seals the outbox into pushes, unless some are sealed already.
    ///
    /// - Parameters:
    ///   - reason: The reason for the call, which selects the cheaper way. The result does not depend on it.
    ///   - seen: Becomes the state of other connections' commits when a sealing transaction read the outbox. It is unchanged
    ///     if a read was enough, and if this throws.
    ///   - found: Called if the file is corrupt, with the consequences for pending changes.
    /// - Returns: The next push to send, or the reason for having none.
    @discardableResult
    package func sealPushes(
        limits: PushLimits, after reason: SealingReason, seen: inout ForeignCommits?, found: (OutboxDamage) -> Void
    ) throws -> Sealed {
        var damage = try checkOutboxNowAndThen() ?? OutboxDamage()
        let isLikelySealed = writeSealings.consume()
        var sealed =
            switch reason {
            case .look: try look()
            case .localChange: isLikelySealed ? try lookForSealed(&seen) : nil
            }
        if sealed == nil {
            sealed = try sealOnce(limits, .lookedInto, &seen, &damage)
            if sealed == nil {
                if let mended = try mendOutbox(.namesNothing) { damage = mended.joined(to: damage) }
                sealed = try sealOnce(limits, .taken, &seen, &damage)
            }
        }
        if damage != OutboxDamage() { found(damage) }
        return sealed ?? .nothingWaits
    }

    /// Checks for pending changes without writing: after most pushes there are none. Returns `nil` if there is something to
    /// seal or send.
    private func look() throws -> Sealed? {
        try engineLook("look for changes that wait") { database in
            try database.query(Self.lookSQL).first { row in
                row.integer(0) != 0 ? .leftParts : row.integer(1) != 0 ? nil : .nothingWaits
            } ?? nil
        }
    }

    /// Two conditions: pushes exist and all of them are staged; and a mark, an outbox entry or a push exists, or a refused
    /// push has reduced the size of pushes.
    private static let lookSQL = """
        SELECT EXISTS (SELECT 1 FROM roost_push) AND NOT EXISTS (SELECT 1 FROM roost_push WHERE staged = 0),
          EXISTS (SELECT 1 FROM roost_mark) OR EXISTS (SELECT 1 FROM roost_outbox) OR EXISTS (SELECT 1 FROM roost_push)\(isLimitedSQL)
        """
    private static let isLimitedSQL = Quarantine.limitNames.compactMap(\.column).map { column in
        " OR (SELECT \(column.name) FROM roost_control) IS NOT NULL"
    }.joined()

    /// - Returns: `nil` if nothing was sealed, because an entry of the outbox names neither a row nor a confirmed slot.
    private func sealOnce(
        _ limits: PushLimits, _ nameless: Sealing.Nameless, _ seen: inout ForeignCommits?,
        _ damage: inout OutboxDamage
    ) throws -> Sealed? {
        let (sealed, commits) = try engineWrite("seal local changes") { database in
            // No other connection can commit before this transaction does.
            (try sealWaiting(limits, nameless, &damage, database), try database.foreignCommits())
        }
        seen = commits
        return sealed
    }

    private func sealWaiting(
        _ limits: PushLimits, _ nameless: Sealing.Nameless, _ damage: inout OutboxDamage, _ database: Database
    ) throws -> Sealed? {
        #if ROOST_SEEDED_BUGS
            if SeededBug.retryWithNewNumber.isOn, let push = try sealedBefore(database)?.push {
                try database.query("DELETE FROM roost_push").run()
                try StateStore(database: database).set(.pushNumber, .integer(Int64(clamping: push.number)))
            }
        #endif
        if let sealed = try sealedBefore(database) { return sealed }
        if let sealed = try streamSealed(limits, database) { return sealed }
        let entries = try Outbox(database: database).entries()
        guard !entries.isEmpty else {
            try Quarantine(database: database).liftLimits()
            return .nothingWaits
        }
        let control = try ControlRow(database)
        let limits = Quarantine.limits(within: limits, control)
        let sealing = try Sealing(database, layout, control, limits, now: now)
        guard let sealed = try sealing.seal(entries, nameless) else { return nil }
        damage = sealed.damage.joined(to: damage)
        damage.refused += sealed.refused
        if sealed.isUnsettled {
            try Settlement(database: database, layout: layout, replica: sealing.replica).settle()
        }
        if sealed.refused > 0 {
            try Journal(database: database, now: now).event(
                "quarantine",
                "\(sealed.refused) changes cannot be sent and were taken back; the journal keeps them and says why.")
        }
        let next = try store(sealed, database)
        if let push = sealed.known(entries) { try database.recordSealed(push) }
        return next
    }

    /// Seals an outbox that is too large for memory. Returns `nil` if it is not, or if a transaction cannot be sent
    /// unchanged.
    private func streamSealed(_ limits: PushLimits, _ database: Database) throws -> Sealed? {
        guard try Outbox(database: database).hasMore(than: Outbox.entriesAtOnce) else { return nil }
        let control = try ControlRow(database)
        let limits = Quarantine.limits(within: limits, control)
        let sealing = try Sealing(database, layout, control, limits, now: now)
        let streamed = try sealing.stream { pushes in _ = try store(pushes, database) }
        guard case .sealed(let splits, let isUnsettled) = streamed else {
            try database.query("DELETE FROM roost_push").run()
            return nil
        }
        if isUnsettled { try Settlement(database: database, layout: layout, replica: sealing.replica).settle() }
        if splits > 0 { try recordSplits(splits, database) }
        return try sealedBefore(database) ?? .nothingWaits
    }

    private func recordSplits(_ splits: Int, _ database: Database) throws {
        try Journal(database: database, now: now).event(
            "split",
            "A local transaction is larger than the server takes at once; it arrives in \(splits + 1) parts.")
    }

    func store(_ sealed: Sealing.Result, _ database: Database) throws -> Sealed {
        if sealed.splits > 0 { try recordSplits(sealed.splits, database) }
        return try store(sealed.pushes, database).map { .next($0) } ?? .nothingWaits
    }

    /// - Returns: The first of the pushes.
    func store(_ pushes: [PushRequest], _ database: Database) throws -> SealedPush? {
        var next: SealedPush?
        for push in pushes {
            let body = try push.store(in: database)
            next =
                next
                ?? SealedPush(
                    number: push.number, body: body, isLast: pushes.count == 1, checkpoint: push.checkpoint?.bytes,
                    changeCounts: push.transactions.map(\.changes.count))
        }
        return next
    }

    /// Returns the next sealed push to send, or `leftParts` if only staged parts are left; `nil` if nothing is sealed.
    func sealedBefore(_ database: Database) throws -> Sealed? {
        try database.query(
            """
            SELECT number, body, number = (SELECT max(number) FROM roost_push), staged,
              (SELECT checkpoint FROM roost_control WHERE pulling_anew IS NULL) FROM roost_push
            WHERE staged = 0 OR NOT EXISTS (SELECT 1 FROM roost_push WHERE staged = 0) ORDER BY number LIMIT 1
            """
        ).first { row in
            guard row.integer(3) == 0 else { return .leftParts }
            return .next(
                SealedPush(
                    number: UInt64(clamping: row.integer(0)), body: row.bytes(1), isLast: row.integer(2) != 0,
                    checkpoint: row.optionalBytes(4)))
        }
    }

    /// Returns the transactions of a sealed push, and the changes of the first one that earlier pushes carry; `nil` if the
    /// push is not sealed any more.
    func sealedTransactions(
        of number: UInt64, _ database: Database
    ) throws -> (carried: [Change], transactions: [[Change]])? {
        let pushes = try database.query("SELECT number, body FROM roost_push WHERE number <= ? ORDER BY number")
        pushes.bind(1, number)
        let found = try pushes.all { (number: UInt64(clamping: $0.integer(0)), push: try $0.push(1)) }
        guard let last = found.last, last.number == number else { return nil }
        // Earlier pushes hold only parts of the transaction that this push continues.
        return (found.dropLast().flatMap { $0.push.transactions.last?.changes ?? [] }, last.push.changeGroups)
    }

    /// Returns the changes by which later sealed pushes continue the last transaction of a push.
    func restOfTransaction(after number: UInt64, _ database: Database) throws -> [Change] {
        let query = try database.query("SELECT body, continues FROM roost_push WHERE number >= ? ORDER BY number")
        query.bind(1, number)
        defer { query.reset() }
        var rest: [Change] = []
        guard try query.step(), query.integer(1) != 0 else { return [] }
        while try query.step() {
            let transactions = try query.push(0).transactions
            rest += transactions.first?.changes ?? []
            guard query.integer(1) != 0, transactions.count == 1 else { break }
        }
        return rest
    }
}
