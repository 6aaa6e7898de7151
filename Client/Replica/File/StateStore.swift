internal import GRDB
internal import RoostMerge
internal import RoostModel

/// Reads what a replica knows of itself and its membership.
protocol StateReading {
    func text(_ name: StateStore.Name) throws -> String?
    func bytes(_ name: StateStore.Name) throws -> [UInt8]?
    func integer(_ name: StateStore.Name) throws -> Int64?
}

extension StateReading {
    var replica: ReplicaID {
        get throws { try text(.replica).flatMap { ReplicaID($0) } ?? .unregistered }
    }

    /// Every identity that changes of this replica carry or carried.
    var ownReplicas: Set<ReplicaID> {
        get throws {
            let former = try text(.formerReplicas)?.split(separator: " ").compactMap { ReplicaID(String($0)) } ?? []
            return Set(former + [try replica])
        }
    }

    var pullingAnew: PullAnewReason? {
        get throws {
            let reason = try text(.pullingAnew).flatMap { PullAnewReason(rawValue: $0) }
            return try reason == .differs && integer(.damaged) != nil ? .damaged : reason
        }
    }

    /// Whether the replica has never applied a page.
    var begins: Bool {
        get throws { try bytes(.checkpoint) == nil && pullingAnew == nil }
    }

    var digest: ScopeDigest {
        get throws { try bytes(.digest).flatMap { ScopeDigest(bytes: $0) } ?? ScopeDigest() }
    }
}

/// What a replica knows of itself and its membership; one row of `roost_state` each.
struct StateStore: StateReading {
    let database: Database

    enum Name: String {
        case schema, schemaVersion, replica, scope, scopeName, server, token, role, deviceName
        case checkpoint, digest, pushNumber, seen, sealed
        /// The scope's schema where it is later than that of the tables, and the oldest version that it lets synchronise.
        case nextSchema, nextSchemaVersion, minimumVersion
        /// ``Behind``; null when the replica was up to date last.
        case behind
        /// Why everything is pulled anew; null while it is not.
        case pullingAnew
        /// Where the replica was synchronised last, and the nonce of a renewal under way with the place that it is for.
        case fingerprint, renewalNonce, renewalFingerprint
        /// The identities that this replica had before, as 16 hexadecimal digits each.
        case formerReplicas
        /// How small pushes have to be while one is looked for that the server refuses.
        case transactionsPerPush, changesPerPush
        case journalDays, journalRemoved
        /// The last transaction of a damaged log that was said to be lost, and what no synchronisation has told yet.
        case lostLog, untold
        /// When all contents were last looked at (milliseconds since 1970), how far a look at them has come, and how many damaged
        /// records the next pull of everything is to write anew.
        case scrubbed, scrubPlace, damaged
        case lastContact, lastFailure, failingSince, nextAttempt
    }

    func text(_ name: Name) throws -> String? {
        let query = try database.query("SELECT value FROM roost_state WHERE name = ?")
        query.bind(1, name.rawValue)
        return try query.first { $0.optionalText(0) } ?? nil
    }

    func bytes(_ name: Name) throws -> [UInt8]? {
        let query = try database.query("SELECT value FROM roost_state WHERE name = ?")
        query.bind(1, name.rawValue)
        return try query.first { $0.optionalBytes(0) } ?? nil
    }

    func integer(_ name: Name) throws -> Int64? {
        let query = try database.query("SELECT value FROM roost_state WHERE name = ?")
        query.bind(1, name.rawValue)
        return try query.first { $0.optionalInteger(0) } ?? nil
    }

    func set(_ name: Name, _ value: Value) throws {
        let query = try database.query("INSERT OR REPLACE INTO roost_state(name, value) VALUES (?, ?)")
        query.bind(1, name.rawValue)
        query.bind(2, value)
        try query.run()
        StateCache.note(name, value, on: database)
    }

    func set(_ name: Name, _ text: String?) throws { try set(name, text.map { .text($0) } ?? .null) }

    /// Sets several values by one statement, which takes less than one for each.
    func set(_ values: [(name: Name, value: Value)]) throws {
        guard !values.isEmpty else { return }
        let query = try database.query(
            values.count < Self.setting.count ? Self.setting[values.count] : Self.setting(values.count))
        for (index, entry) in zip(Int32(0)..., values) {
            query.bind(2 * index + 1, entry.name.rawValue)
            query.bind(2 * index + 2, entry.value)
        }
        try query.run()
        for entry in values { StateCache.note(entry.name, entry.value, on: database) }
    }

    /// The statements that set so many values, put together once.
    private static let setting = (0...8).map(setting)

    private static func setting(_ count: Int) -> String {
        let rows = repeatElement("(?, ?)", count: count).joined(separator: ", ")
        return "INSERT OR REPLACE INTO roost_state(name, value) VALUES \(rows)"
    }

    func setDigest(_ digest: ScopeDigest) throws { try set(.digest, .bytes(digest.bytes)) }

    // MARK: The control row

    var clock: UInt64 {
        get throws {
            try database.query("SELECT clock FROM roost_control").first { UInt64(clamping: $0.integer(0)) } ?? 0
        }
    }

    /// The clock with what it has learned, to make readings with.
    var hybridClock: HybridClock {
        get throws {
            try database.query("SELECT clock, clock_offset FROM roost_control").first {
                HybridClock(last: UInt64(clamping: $0.integer(0)), offsetMilliseconds: $0.integer(1))
            } ?? HybridClock()
        }
    }

    /// Raises the clock to `time`, and never lowers it.
    func receive(_ time: UInt64) throws {
        let query = try database.query("UPDATE roost_control SET clock = max(clock, ?)")
        query.bind(1, Int64(clamping: time))
        try query.run()
    }

    func setClock(_ time: UInt64, offsetMilliseconds: Int64) throws {
        let query = try database.query("UPDATE roost_control SET clock = ?, clock_offset = ?")
        query.bind(1, time)
        query.bind(2, offsetMilliseconds)
        try query.run()
    }

    func learnOffset(_ milliseconds: Int64) throws {
        let query = try database.query("UPDATE roost_control SET clock_offset = ? WHERE clock_offset <> ?")
        query.bind(1, milliseconds)
        query.bind(2, milliseconds)
        try query.run()
    }

    /// Gives local changes from now on a number of their own.
    func startTransaction() throws {
        try database.query("UPDATE roost_control SET txn = txn + 1").run()
    }

    /// The same, writes down that everything with an earlier number is sealed, and raises the clock to `time` if it is behind.
    func endSealing(at time: UInt64) throws {
        let query = try database.query("UPDATE roost_control SET txn = txn + 1, clock = max(clock, ?)")
        query.bind(1, Int64(clamping: time))
        try query.run()
        try set(.sealed, .integer(try database.query("SELECT txn FROM roost_control").first { $0.integer(0) } ?? 0))
    }

    func setApplying(_ depth: Int) throws {
        let query = try database.query("UPDATE roost_control SET applying = ?")
        query.bind(1, depth)
        try query.run()
    }
}
