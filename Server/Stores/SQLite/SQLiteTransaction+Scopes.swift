internal import CSQLiteStore
internal import GRDB
internal import RoostModel
internal import RoostService

extension SQLiteTransaction {
    func scopes() throws -> [ScopeKey] {
        try all("SELECT key FROM scope ORDER BY key", { _ in }, { ScopeKey($0.int64(0)) })
    }

    func scope(_ key: ScopeKey) throws -> StoredScope? {
        try first(
            """
            SELECT id, name, epoch, schema_version, sequence, chain, digest, records, bytes, floor, purged,
              recovering_until, ended_epochs
            FROM scope WHERE key = ?
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
            scope.past.floor = row.uint64(9)
            scope.past.purged = row.uint64(10)
            scope.past.recoveringUntil = row.uint64(11)
            scope.past.endedEpochs = Self.numbers(row.bytes(12))
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

    func update(epoch: UInt64, _ past: ScopePast, of scope: ScopeKey) throws {
        var ended: [UInt8] = []
        for epoch in past.endedEpochs { ended.appendBigEndian(epoch) }
        try run(
            "UPDATE scope SET epoch = ?, floor = ?, purged = ?, recovering_until = ?, ended_epochs = ? WHERE key = ?"
        ) { row in
            row.bind(1, epoch)
            row.bind(2, past.floor)
            row.bind(3, past.purged)
            row.bind(4, past.recoveringUntil)
            row.bind(5, ended)
            row.bind(6, scope)
        }
    }

    private static func numbers(_ bytes: [UInt8]) -> [UInt64] {
        stride(from: 0, to: bytes.count - 7, by: 8).map { start in
            bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    func publish(_ schema: String, version: Int, in scope: ScopeKey) throws {
        try run("INSERT OR REPLACE INTO schema(scope, version, text) VALUES(?, ?, ?)") { row in
            row.bind(1, scope)
            row.bind(2, version)
            row.bind(3, schema)
        }
        // No reader needs an earlier version again.
        try run("DELETE FROM schema WHERE scope = ? AND version < ?") { row in
            row.bind(1, scope)
            row.bind(2, version)
        }
        try run("UPDATE scope SET schema_version = ? WHERE key = ?") { row in
            row.bind(1, version)
            row.bind(2, scope)
        }
    }
}
