internal import GRDB
internal import RoostMerge
internal import RoostModel

/// What the server has, beside the confirmed slots: the table `roost_pulled`.
///
/// While everything is pulled anew it fills up with all records, and nothing that is shown changes before all are there.
/// Afterwards it has the server's state of the records of which this replica holds more, until the server has that again.
struct PulledAnew {
    let database: Database

    /// Begins with nothing: the next page is the first of all.
    func start(_ reason: PullAnewReason) throws {
        try database.query("DELETE FROM roost_pulled").run()
        let state = StateStore(database: database)
        try state.set(.checkpoint, .null)
        try state.set(.timesAnew, .integer(state.anew + 1))
        // To programs that know nothing of damage, it is a difference.
        try state.set(.pullingAnew, (reason == .damaged ? .differs : reason).rawValue)
        if reason == .damaged, try state.integer(.damaged) == nil { try state.set(.damaged, .integer(1)) }
    }

    /// Joins a state of the server's into the record's; puts it down where there was none.
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

    /// Joins a state of the server's into the record's, if it is one of those looked after here.
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

    /// The server's state of a record, which may have no slots; `nil` for one that is not looked after here.
    func state(of key: RecordKey) throws -> RecordState? {
        let query = try database.query(
            "SELECT put_stamp, put, base, del_stamp FROM roost_pulled WHERE entity = ? AND id = ?")
        query.bind(1, key.entity.rawValue)
        query.bind(2, key.id)
        return try query.first { Self.state(key, $0, from: 0) }
    }

    /// Reads some at a time: a trigger that raises may end a statement that is still being read from.
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
                // Before all, whatever damage has made of them.
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
    /// Each slot with the greater of the two.
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
    /// A record with nothing but this change.
    var state: RecordState {
        switch kind {
        case .put(let encoded, let base):
            RecordState(key: key, put: .init(stamp: stamp, base: base, encoded: encoded))
        case .delete: RecordState(key: key, delete: stamp)
        }
    }
}
