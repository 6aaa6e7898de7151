internal import GRDB
internal import RoostMerge
internal import RoostModel

/// The server states that a replica stores in addition to the confirmed slots: the table `roost_pulled`.
///
/// During a full resynchronisation the table fills up with all records, and nothing that is shown changes before it is complete.
/// Afterwards it contains the server's state of each record of which this replica holds more, until the server has that again.
struct ServerCopy {
    let database: Database

    /// Starts a full resynchronisation with an empty table. The next page is the first one.
    func start(_ reason: PullAnewReason) throws {
        try database.query("DELETE FROM roost_pulled").run()
        let state = StateStore(database: database)
        try state.set(.checkpoint, .null)
        try state.set(.timesAnew, .integer(state.anew + 1))
        // Earlier programs know neither `damaged` nor `refused`; the file stores `differs` for them.
        let isKnown = reason != .damaged && reason != .refused
        try state.set(.pullingAnew, (isKnown ? reason : .differs).rawValue)
        try state.set(.refusedEdit, reason == .refused ? .integer(1) : .null)
        if reason == .damaged, try state.integer(.damaged) == nil { try state.set(.damaged, .integer(1)) }
    }

    /// Joins a server state into the stored state of its record, or inserts it where none is stored.
    func join(_ state: RecordState) throws {
        let query = try database.query(
            """
            INSERT INTO roost_pulled(entity, id, put_stamp, put, base, del_stamp) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT(entity, id) DO NOTHING
            """)
        bind(state, to: query)
        try query.run()
        if database.changesCount == 0 { try joinIfThere(state) }
    }

    /// Joins a server state into the stored state of its record. Does nothing where none is stored.
    func joinIfThere(_ state: RecordState) throws {
        guard let held = try self.state(of: state.key) else { return }
        let joined = held.joined(with: state)
        guard joined != held else { return }
        let query = try database.query(
            """
            UPDATE roost_pulled SET put_stamp = ?3, put = ?4, base = ?5, del_stamp = ?6 WHERE entity = ?1 AND id = ?2
            """)
        bind(joined, to: query)
        try query.run()
    }

    func forget(_ key: RecordKey) throws {
        let query = try database.query("DELETE FROM roost_pulled WHERE entity = ? AND id = ?")
        query.bind(1, key.entity.rawValue)
        query.bind(2, key.id)
        try query.run()
    }

    /// Returns the stored server state of a record, which may have no slots; `nil` where none is stored.
    func state(of key: RecordKey) throws -> RecordState? {
        let query = try database.query(
            "SELECT put_stamp, put, base, del_stamp FROM roost_pulled WHERE entity = ? AND id = ?")
        query.bind(1, key.entity.rawValue)
        query.bind(2, key.id)
        return try query.first { Self.state(key, $0, from: 0) }
    }

    /// Calls `body` with each stored state. States are read in batches, because a trigger that raises may end a statement that is
    /// still being read.
    func forEach(_ body: (RecordState) throws -> Void) throws {
        var last: RecordKey?
        while true {
            let query = try database.query(
                """
                SELECT entity, id, put_stamp, put, base, del_stamp FROM roost_pulled
                WHERE (entity, id) > (?1, ?2) ORDER BY entity, id LIMIT \(Self.statesAtOnce)
                """)
            if let last {
                query.bind(1, last.entity.rawValue)
                query.bind(2, last.id)
            } else {
                // Lower than every key, even a corrupt one.
                query.bind(1, Int64.min)
                query.bind(2, [UInt8]())
            }
            let states = try query.all { row in row.key(0).map { Self.state($0, row, from: 2) } }
            for state in states.compactMap(\.self) { try body(state) }
            guard states.count == Self.statesAtOnce, let key = states.compactMap(\.self).last?.key else { return }
            last = key
        }
    }

    private static let statesAtOnce = 200

    private static func state(_ key: RecordKey, _ row: Query, from first: Int32) -> RecordState {
        var state = RecordState(key: key, delete: row.stamp(first + 3))
        if let stamp = row.stamp(first) {
            state.put = .init(stamp: stamp, base: row.stamp(first + 2), encoded: row.bytes(first + 1))
        }
        return state
    }

    private func bind(_ state: RecordState, to query: Query) {
        query.bind(1, state.key.entity.rawValue)
        query.bind(2, state.key.id)
        query.bind(3, state.put?.stamp) { query.bind($0, $1) }
        query.bind(4, state.put?.encoded) { query.bind($0, $1) }
        query.bind(5, state.put?.base) { query.bind($0, $1) }
        query.bind(6, state.delete) { query.bind($0, $1) }
    }
}

extension RecordState {
    /// Returns a state in which each slot has the greater stamp of the two.
    func joined(with other: RecordState) -> RecordState {
        var joined = self
        var slots = stamps
        if let put = other.stamps.put {
            switch SlotMerge.merge(put, into: &slots) {
            case .current, .collision(isCurrent: true): joined.put = other.put
            case .repeated, .beaten, .collision(isCurrent: false): break
            }
        }
        if let delete = other.delete { joined.delete = max(delete, self.delete ?? delete) }
        return joined
    }
}

extension Change {
    /// The state of a record that has only this change.
    var state: RecordState {
        switch kind {
        case .put(let encoded, let base):
            RecordState(key: key, put: .init(stamp: stamp, base: base, encoded: encoded))
        case .delete: RecordState(key: key, delete: stamp)
        }
    }
}
