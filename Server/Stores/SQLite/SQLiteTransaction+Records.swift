internal import RoostModel
internal import RoostService

extension SQLiteTransaction {
    func record(_ key: RecordKey, in scope: ScopeKey) throws -> StoredRecord? {
        try first(
            "SELECT sequence, author, message FROM record WHERE scope = ? AND entity = ? AND id = ?",
            { row in
                row.bind(1, scope)
                row.bind(2, Int64(key.entity.rawValue))
                row.bind(3, key.id)
            },
            { StoredRecord(sequence: $0.uint64(0), author: $0.replica(1), message: $0.bytes(2)) })
    }

    func put(_ record: StoredRecord, _ key: RecordKey, in scope: ScopeKey) throws {
        try run(
            """
            INSERT INTO record(scope, entity, id, sequence, author, message) VALUES(?, ?, ?, ?, ?, ?)
            ON CONFLICT(scope, entity, id) DO UPDATE
            SET sequence = excluded.sequence, author = excluded.author, message = excluded.message
            """
        ) { row in
            row.bind(1, scope)
            row.bind(2, Int64(key.entity.rawValue))
            row.bind(3, key.id)
            row.bind(4, record.sequence)
            row.bind(5, record.author)
            row.bind(6, record.message)
        }
    }

    func forEachRecord(
        in scope: ScopeKey, after sequence: UInt64,
        _ visit: (UInt64, ReplicaID, UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        let row = try statement(
            "SELECT sequence, author, message FROM record WHERE scope = ? AND sequence > ? ORDER BY sequence, row")
        defer { row.reset() }
        row.bind(1, scope)
        row.bind(2, sequence)
        while try row.step() {
            guard try visit(row.uint64(0), row.replica(1), row.raw(2)) else { return }
        }
    }

    func chain(at sequence: UInt64, in scope: ScopeKey) throws -> UInt64? {
        try first(
            "SELECT hash FROM chain WHERE scope = ? AND sequence = ?",
            { row in
                row.bind(1, scope)
                row.bind(2, sequence)
            }, { $0.uint64(0) })
    }

    func append(chain: UInt64, at sequence: UInt64, in scope: ScopeKey) throws {
        try run("INSERT INTO chain(scope, sequence, hash) VALUES(?, ?, ?)") { row in
            row.bind(1, scope)
            row.bind(2, sequence)
            row.bind(3, chain)
        }
    }

    func remove(_ key: RecordKey, in scope: ScopeKey) throws {
        try run("DELETE FROM record WHERE scope = ? AND entity = ? AND id = ?") { row in
            row.bind(1, scope)
            row.bind(2, Int64(key.entity.rawValue))
            row.bind(3, key.id)
        }
    }

    // MARK: Names of purged records

    func purgedSequence(of key: RecordKey, in scope: ScopeKey) throws -> UInt64? {
        try first(
            "SELECT sequence FROM purged WHERE scope = ? AND entity = ? AND id = ?",
            { row in
                row.bind(1, scope)
                row.bind(2, Int64(key.entity.rawValue))
                row.bind(3, key.id)
            }, { $0.uint64(0) })
    }

    func forEachPurged(
        in scope: ScopeKey, after sequence: UInt64, _ visit: (UInt64, RecordKey) throws -> Bool
    ) throws {
        let row = try statement(
            "SELECT sequence, entity, id FROM purged WHERE scope = ? AND sequence > ? ORDER BY sequence, entity, id")
        defer { row.reset() }
        row.bind(1, scope)
        row.bind(2, sequence)
        while try row.step() {
            guard let entity = UInt32(exactly: row.int64(1)), let id = RecordID(bytes: row.bytes(2)) else {
                throw StoreError.damaged("the name of a purged record is none")
            }
            guard try visit(row.uint64(0), RecordKey(entity: EntityID(entity), id: id)) else { return }
        }
    }

    func putPurged(_ key: RecordKey, at sequence: UInt64, in scope: ScopeKey) throws {
        try run("INSERT OR REPLACE INTO purged(scope, entity, id, sequence) VALUES(?, ?, ?, ?)") { row in
            row.bind(1, scope)
            row.bind(2, Int64(key.entity.rawValue))
            row.bind(3, key.id)
            row.bind(4, sequence)
        }
    }

    func removePurged(upTo sequence: UInt64, in scope: ScopeKey) throws {
        try run("DELETE FROM purged WHERE scope = ? AND sequence <= ?") { row in
            row.bind(1, scope)
            row.bind(2, sequence)
        }
    }
}
