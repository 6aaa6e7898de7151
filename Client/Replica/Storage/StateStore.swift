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

    /// Every identity that changes of this replica carried before.
    var formerReplicas: Set<ReplicaID> {
        get throws { Set(try text(.formerReplicas)?.parts(at: " ").compactMap { ReplicaID($0) } ?? []) }
    }

    /// Every identity that changes of this replica carry or carried.
    var ownReplicas: Set<ReplicaID> { get throws { try formerReplicas.union([try replica]) } }

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

/// What a replica knows of itself and its membership.
///
/// What sessions read and write with each exchange are columns of `roost_control`, beside what triggers read: of that one row all is read
/// by one look-up and written with one page. The rest are rows of `roost_state` (decision 153).
struct StateStore: StateReading {
    let database: Database

    enum Name: String, CaseIterable {
        case schema, schemaVersion, scope, scopeName, server, role, deviceName
        /// The device token, in files up to format 6 (``TokenMove``); set while free pages and the log may still hold it.
        case token, tokenLeft
        /// The file's format (``FileFormat``), and what its list of tables was when it was last verified.
        case format, layout
        /// Where the replica stands with pulling and pushing.
        case checkpoint, digest, pushNumber, seen, sealed
        /// Who this replica is, and the identities that it had before, as 16 hexadecimal digits each.
        case replica, formerReplicas
        /// The scope's schema where it is later than that of the tables, and the oldest version that it lets synchronise.
        case nextSchema, nextSchemaVersion, minimumVersion
        /// ``Behind``; null when the replica was up to date last.
        case behind
        /// Why everything is pulled anew, null while it is not; and how often that has begun.
        case pullingAnew, timesAnew
        /// Where the replica was synchronised last, and the nonce of a renewal under way with the place that it is for.
        case fingerprint, renewalNonce, renewalFingerprint
        /// The nonce of a request to join again that is under way, with what it asks for and the place that it is for.
        case joinNonce
        /// Which server answered last, as it says itself.
        case serverIdentity
        /// How small pushes have to be while one is looked for that the server refuses.
        case transactionsPerPush, changesPerPush
        case journalDays, journalRemoved
        /// The last transaction of a damaged log that was said to be lost, and what no synchronisation has told yet.
        case lostLog, untold
        /// When all contents were last looked at (milliseconds since 1970), how far a look at them has come, and how many damaged
        /// records the next pull of everything is to write anew.
        case scrubbed, scrubPlace, damaged
        /// Set by a repair until its full resynchronisation ends: differing rows are corrupt until then, and not another program's writes.
        case salvaged
        case lastContact, lastFailure, failingSince, nextAttempt
    }

    /// The number of the pull of everything that is under way.
    var anew: Int64 { get throws { try integer(.timesAnew) ?? 0 } }

    func text(_ name: Name) throws -> String? { try value(name) { $0.optionalText(0) } }
    func bytes(_ name: Name) throws -> [UInt8]? { try value(name) { $0.optionalBytes(0) } }
    func integer(_ name: Name) throws -> Int64? { try value(name) { $0.optionalInteger(0) } }

    private func value<Result>(_ name: Name, _ read: (Query) -> Result?) throws -> Result? {
        guard let column = name.column else {
            let query = try database.query("SELECT value FROM roost_state WHERE name = ?")
            query.bind(1, name.rawValue)
            return try query.first(read) ?? nil
        }
        return try database.query(column.selectSQL).first(read) ?? nil
    }

    func set(_ name: Name, _ value: Value) throws { try set([(name, value)]) }
    func set(_ name: Name, _ text: String?) throws { try set(name, text.map { .text($0) } ?? .null) }

    /// Sets several values, those of `roost_control` by one statement, which takes less than one for each.
    ///
    /// - Parameters:
    ///   - time: What the clock is raised to if it is behind.
    ///   - offset: What the clock has learned, in milliseconds.
    func set(
        _ values: [(name: Name, value: Value)], receiving time: UInt64? = nil, offset: Int64? = nil
    ) throws {
        var columns = ControlColumns()
        for (name, value) in values {
            if let column = name.column { columns.insert(column) } else { try setRow(name, value) }
        }
        if time != nil { columns.insert(.reading) }
        if offset != nil { columns.insert(.clockOffset) }
        guard !columns.isEmpty else { return }
        let query = try database.query(columns.updateSQL)
        for (name, value) in values {
            if let column = name.column { query.bind(column.rawValue, value) }
        }
        if let time { query.bind(ControlColumn.reading.rawValue, Int64(clamping: time)) }
        if let offset { query.bind(ControlColumn.clockOffset.rawValue, offset) }
        try change(query)
    }

    private func setRow(_ name: Name, _ value: Value) throws {
        let query = try database.query("INSERT OR REPLACE INTO roost_state(name, value) VALUES (?, ?)")
        query.bind(1, name.rawValue)
        query.bind(2, value)
        try query.run()
    }

    func setDigest(_ digest: ScopeDigest) throws { try set(.digest, .bytes(digest.bytes)) }

    // MARK: The control row

    var clock: UInt64 {
        get throws {
            try database.query("SELECT reading FROM roost_control").first { UInt64(clamping: $0.integer(0)) } ?? 0
        }
    }

    /// The clock with what it has learned, to make readings with.
    var hybridClock: HybridClock {
        get throws {
            try database.query("SELECT reading, clock_offset FROM roost_control").first {
                HybridClock(last: UInt64(clamping: $0.integer(0)), offsetMilliseconds: $0.integer(1))
            } ?? HybridClock()
        }
    }

    /// Raises the clock to `time`, and never lowers it.
    func receive(_ time: UInt64) throws { try set([], receiving: time) }

    func setClock(_ time: UInt64, offsetMilliseconds: Int64) throws {
        let query = try database.query("UPDATE roost_control SET reading = ?, clock_offset = ? WHERE one = 1")
        query.bind(1, time)
        query.bind(2, offsetMilliseconds)
        try change(query)
    }

    func learnOffset(_ milliseconds: Int64) throws {
        let query = try database.query(
            "UPDATE roost_control SET clock_offset = ?1 WHERE one = 1 AND clock_offset <> ?1")
        query.bind(1, milliseconds)
        try query.run()
    }

    /// The number of the next transaction of the library: odd, so that its changes are told from those of other programs, of which
    /// nobody knows what they wrote together.
    private static let odd = "txn + 1 + (txn & 1)"
    /// The number of what other programs write next: even.
    private static let even = "txn + 2 - (txn & 1)"

    /// Gives the changes of a transaction of the library a number of their own, until ``endTransaction()``.
    func beginTransaction() throws {
        try change(try database.query("UPDATE roost_control SET txn = \(Self.odd) WHERE one = 1"))
    }

    /// Gives what other programs write from now on another number.
    func endTransaction() throws {
        try change(try database.query("UPDATE roost_control SET txn = \(Self.even) WHERE one = 1"))
    }

    /// The same, writes down that everything with an earlier number is sealed, and raises the clock to `time` if it is behind.
    func endSealing(at time: UInt64) throws {
        let query = try database.query(
            "UPDATE roost_control SET txn = \(Self.even), sealed = \(Self.even), reading = max(reading, ?) WHERE one = 1"
        )
        query.bind(1, Int64(clamping: time))
        try change(query)
    }

    /// Runs a statement that changes the one row there is.
    ///
    /// - Throws: ``ReplicaError/Code/corrupt`` where it is not there.
    private func change(_ query: Query) throws {
        try query.run()
        if query.rowsWritten == 0 { throw StateSnapshot.rowIsLost }
    }

    func setApplying(_ depth: Int) throws {
        let query = try database.query("UPDATE roost_control SET applying = ? WHERE one = 1")
        query.bind(1, depth)
        try change(query)
    }
}
