internal import GRDB
internal import RoostMerge
internal import RoostModel

/// The stored state and membership of a replica.
///
/// Values that sessions read and write with each exchange are columns of `roost_control`, next to those that triggers read. One
/// lookup reads that whole row, and writing it changes one page. The other values are rows of `roost_state` (decision 153).
struct StateStore {
    let database: Database

    enum Name: String, CaseIterable {
        case schema, schemaVersion, scope, scopeName, server, role, deviceName
        /// The device token, in files up to format 6 (``TokenMove``). `tokenLeft` is set while free pages and the log may still
        /// contain the token.
        case token, tokenLeft
        /// The file's format (``FileFormat``), and the ``LayoutFingerprint`` of its last verification.
        case format, layout
        /// The form of the file's identifiers (``IdentifierForm``); null for bytes.
        case identifiers
        /// The progress of pulling and pushing.
        case checkpoint, digest, pushNumber, seen, sealed
        /// The identity of this replica, and its earlier identities, as 16 hexadecimal digits each.
        case replica, formerReplicas
        /// The scope's schema and its version where it is later than that of the tables, and the oldest version with which the
        /// scope allows synchronisation.
        case nextSchema, nextSchemaVersion, minimumVersion
        /// ``PullProgress``; null where the replica was up to date after its last pull.
        case behind
        /// The reason of the full resynchronisation under way, null where there is none; and the number of those started so far.
        case pullingAnew, timesAnew
        /// Set where the reason of the full resynchronisation under way is ``PullAnewReason/refused``, which the file stores as
        /// `differs`.
        case refusedEdit
        /// The fingerprint of the file that was synchronised last (``FileFingerprint``), and the nonce of a renewal under way
        /// with the fingerprint of the file that it is for.
        case fingerprint, renewalNonce, renewalFingerprint
        /// The nonce of a request to join again that is under way, with a hash of the request and of the file's fingerprint.
        case joinNonce
        /// The identity of the server that answered last, as it reported it.
        case serverIdentity
        /// The limits of a push while Roost searches for a transaction that the server refuses.
        case transactionsPerPush, changesPerPush
        case journalDays, journalRemoved
        /// The last transaction of a corrupt log whose loss was reported, and the notices that no synchronisation has reported
        /// yet.
        case lostLog, untold
        /// The time of the last complete scrub in milliseconds since 1970, the position of the one under way, and the number of
        /// damaged records that the next full resynchronisation rewrites.
        case scrubbed, scrubPlace, damaged
        /// Set by a repair until its full resynchronisation ends. Until then differing rows are corrupt, and not writes of
        /// another program.
        case salvaged
        case lastContact, lastFailure, failingSince, nextAttempt
    }

    /// The number of the full resynchronisation under way.
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

    var replica: ReplicaID { get throws { ReplicaID(stored: try text(.replica)) } }

    /// The earlier identities of this replica, which its changes carried.
    var formerReplicas: Set<ReplicaID> { get throws { Set(formerReplicasStored: try text(.formerReplicas)) } }

    /// The present and earlier identities of this replica, which its changes carry or carried.
    var ownReplicas: Set<ReplicaID> { get throws { try formerReplicas.union([try replica]) } }

    /// The reason of the full resynchronisation under way; `nil` where there is none.
    var pullingAnew: PullAnewReason? {
        get throws {
            let reason = PullAnewReason(stored: try text(.pullingAnew), isDamaged: try integer(.damaged) != nil)
            return try reason == .differs && integer(.refusedEdit) != nil ? .refused : reason
        }
    }

    var digest: ScopeDigest { get throws { ScopeDigest(stored: try bytes(.digest)) } }

    func set(_ name: Name, _ value: Value) throws { try set([(name, value)]) }
    func set(_ name: Name, _ text: String?) throws { try set(name, text.map { .string($0) } ?? .null) }

    /// Sets several values. One statement sets those of `roost_control`, which takes less time than one for each.
    ///
    /// - Parameters:
    ///   - time: The reading to which the clock is raised if it is behind.
    ///   - offset: The offset that the clock has learned, in milliseconds.
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

    func setDigest(_ digest: ScopeDigest) throws { try set(.digest, .data(digest.bytes)) }

    // MARK: The control row

    var clock: UInt64 {
        get throws {
            try database.query("SELECT reading FROM roost_control").first { UInt64(clamping: $0.integer(0)) } ?? 0
        }
    }

    /// The clock with its learned offset, to make readings with.
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

    /// The SQL expression for the number of the library's next transaction. It is odd, which tells the library's changes from
    /// those of other programs. Which of those were written together is unknown.
    private static let odd = "txn + 1 + (txn & 1)"
    /// The SQL expression for the number of the next writes of other programs. It is even.
    private static let even = "txn + 2 - (txn & 1)"

    /// Gives the changes of one of the library's transactions a number of their own, until ``endTransaction()``.
    func beginTransaction() throws {
        try change(try database.query("UPDATE roost_control SET txn = \(Self.odd) WHERE one = 1"))
    }

    /// Gives later writes of other programs a new number.
    func endTransaction() throws {
        try change(try database.query("UPDATE roost_control SET txn = \(Self.even) WHERE one = 1"))
    }

    /// Ends a transaction like ``endTransaction()``, records that everything with an earlier number is sealed, and raises the
    /// clock to `time` if it is behind.
    func endSealing(at time: UInt64) throws {
        let query = try database.query(
            "UPDATE roost_control SET txn = \(Self.even), sealed = \(Self.even), reading = max(reading, ?) WHERE one = 1"
        )
        query.bind(1, Int64(clamping: time))
        try change(query)
    }

    /// Runs a statement that changes the control row.
    ///
    /// - Throws: ``ReplicaError/Code/corrupt`` where the row is missing.
    private func change(_ query: Query) throws {
        try query.run()
        if query.rowsWritten == 0 { throw ControlRow.isLost }
    }

    func setApplying(_ depth: Int) throws {
        let query = try database.query("UPDATE roost_control SET applying = ? WHERE one = 1")
        query.bind(1, depth)
        try change(query)
    }
}
