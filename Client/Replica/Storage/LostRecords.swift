internal import GRDB
internal import RoostModel

/// The slots that the server has lost and this replica still holds, with their content: the table `roost_lost`.
struct LostRecords {
    let database: Database

    var isEmpty: Bool { get throws { try database.isEmpty("roost_lost") } }

    var count: Int {
        get throws { Int(try database.query("SELECT count(*) FROM roost_lost").first { $0.integer(0) } ?? 0) }
    }

    /// Returns up to `limit` records with up to `bytesMax` of content, and at least one if there are any. They come in the order
    /// in which they were written, so that records that belong together are seldom separated.
    func next(limit: Int, bytesMax: Int) throws -> [RecordState] {
        let query = try database.query(
            """
            SELECT entity, id, put_stamp, put, del_stamp FROM roost_lost
            ORDER BY max(coalesce(put_stamp, x''), coalesce(del_stamp, x'')) LIMIT ?
            """)
        query.bind(1, limit)
        var bytes = 0
        var states: [RecordState] = []
        for state in try query.all(Self.state).compactMap({ $0 }) {
            bytes += (state.put?.encoded.count ?? 0) + 96
            guard states.isEmpty || bytes <= bytesMax else { break }
            states.append(state)
        }
        return states
    }

    func state(of key: RecordKey) throws -> RecordState? {
        let query = try database.query(
            "SELECT entity, id, put_stamp, put, del_stamp FROM roost_lost WHERE entity = ? AND id = ?")
        query.bind(1, key.entity.rawValue)
        query.bind(2, key.id)
        return try query.first(Self.state) ?? nil
    }

    func keys() throws -> [RecordKey] {
        try database.query("SELECT entity, id FROM roost_lost").all { $0.key(0) }.compactMap { $0 }
    }

    func put(_ state: RecordState) throws {
        let query = try database.query(
            "INSERT OR REPLACE INTO roost_lost(entity, id, put_stamp, put, del_stamp) VALUES (?, ?, ?, ?, ?)")
        query.bind(1, state.key.entity.rawValue)
        query.bind(2, state.key.id)
        query.bind(3, state.put?.stamp) { query.bind($0, $1) }
        query.bind(4, state.put?.encoded) { query.bind($0, $1) }
        query.bind(5, state.delete) { query.bind($0, $1) }
        try query.run()
    }

    func forget(_ key: RecordKey) throws {
        let query = try database.query("DELETE FROM roost_lost WHERE entity = ? AND id = ?")
        query.bind(1, key.entity.rawValue)
        query.bind(2, key.id)
        try query.run()
    }

    func forgetAll() throws { try database.query("DELETE FROM roost_lost").run() }

    private static func state(_ row: Query) -> RecordState? {
        guard let key = row.key(0) else { return nil }
        var state = RecordState(key: key, delete: row.stamp(4))
        if let stamp = row.stamp(2) { state.put = .init(stamp: stamp, base: nil, encoded: row.bytes(3)) }
        return state
    }
}
