internal import CSQLiteStore
internal import GRDB
internal import RoostModel
internal import RoostService

extension SQLiteTransaction {
    func scope(_ key: ScopeKey) throws -> StoredScope? {
        try first(
            """
            SELECT id, name, epoch, schema_version, sequence, chain, digest, records, bytes FROM scope WHERE key = ?
            """, { $0.bind(1, key) }
        ) { row in
            guard let id = ScopeID(bytes: row.bytes(0)), let digest = ScopeDigest(bytes: row.bytes(6)) else {
                throw StoreError.damaged("scope \(key.rawValue) has no identifier or digest")
            }
            var scope = StoredScope(
                key: key, id: id, name: row.text(1), epoch: row.uint64(2), schemaVersion: row.int(3))
            scope.head.sequence = row.uint64(4)
            scope.head.chain = row.bytes(5)
            scope.head.digest = digest
            scope.head.records = row.int(7)
            scope.head.bytes = row.int(8)
            return scope
        }
    }

    func schema(of scope: ScopeKey) throws -> String? {
        try first(
            "SELECT text FROM schema WHERE scope = ? ORDER BY version DESC LIMIT 1", { $0.bind(1, scope) },
            { $0.text(0) })
    }

    func insert(_ scope: StoredScope, schema: String) throws -> ScopeKey {
        try run(
            """
            INSERT INTO scope(id, name, epoch, schema_version, sequence, chain, digest, records, bytes)
            VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        ) { row in
            row.bind(1, scope.id.bytes)
            row.bind(2, scope.name)
            row.bind(3, scope.epoch)
            row.bind(4, scope.schemaVersion)
            row.bind(5, scope.head.sequence)
            row.bind(6, scope.head.chain)
            row.bind(7, scope.head.digest.bytes)
            row.bind(8, scope.head.records)
            row.bind(9, scope.head.bytes)
        }
        let key = ScopeKey(sqlite3_last_insert_rowid(database.sqliteConnection))
        try publish(schema, version: scope.schemaVersion, in: key)
        return key
    }

    func update(_ head: ScopeHead, of scope: ScopeKey) throws {
        try run("UPDATE scope SET sequence = ?, chain = ?, digest = ?, records = ?, bytes = ? WHERE key = ?") { row in
            row.bind(1, head.sequence)
            row.bind(2, head.chain)
            row.bind(3, head.digest.bytes)
            row.bind(4, head.records)
            row.bind(5, head.bytes)
            row.bind(6, scope)
        }
    }

    func publish(_ schema: String, version: Int, in scope: ScopeKey) throws {
        try run("INSERT OR REPLACE INTO schema(scope, version, text) VALUES(?, ?, ?)") { row in
            row.bind(1, scope)
            row.bind(2, version)
            row.bind(3, schema)
        }
        try run("UPDATE scope SET schema_version = ? WHERE key = ?") { row in
            row.bind(1, version)
            row.bind(2, scope)
        }
    }

    // MARK: Records

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
}
