internal import RoostModel
internal import RoostService

extension SQLiteTransaction {
    func record(_ key: RecordKey, in scope: ScopeKey) throws -> StoredRecord? {
        let select = try recordStatements().select
        defer { select.reset() }
        select.bind(1, scope)
        select.bind(2, Int64(key.entity.rawValue))
        select.bind(3, key.id)
        guard try select.step() else {
            places[key, in: scope] = .some(nil)
            return nil
        }
        places[key, in: scope] = RecordLocations.Place(row: select.int64(0), sequence: select.uint64(1))
        return StoredRecord(sequence: select.uint64(1), author: select.replica(2), message: select.bytes(3))
    }

    func put(_ record: StoredRecord, _ key: RecordKey, in scope: ScopeKey) throws {
        let statements = try recordStatements()
        guard let place = try place(of: key, in: scope) else {
            let insert = statements.insert
            insert.bind(1, scope)
            insert.bind(2, Int64(key.entity.rawValue))
            insert.bind(3, key.id)
            insert.bind(4, record.sequence)
            insert.bind(5, record.author)
            insert.bind(6, record.message)
            try insert.run()
            return enter(.init(row: lastInsertedRow, sequence: record.sequence), key, in: scope)
        }
        let update = statements.update
        update.bind(1, place.row)
        update.bind(2, record.sequence)
        update.bind(3, record.author)
        update.bind(4, record.message)
        try update.run()
        guard record.sequence != place.sequence else { return }
        enter(.init(row: place.row, sequence: record.sequence), key, in: scope)
        logEntries.outdate(.init(scope: scope, place: place))
    }

    /// Finds the location of a record; `nil` if the record does not exist.
    private func place(of key: RecordKey, in scope: ScopeKey) throws -> RecordLocations.Place? {
        if let known = places[key, in: scope] { return known }
        _ = try record(key, in: scope)
        return places[key, in: scope] ?? nil
    }

    /// Adds an entry to the scope's log.
    private func enter(_ place: RecordLocations.Place, _ key: RecordKey, in scope: ScopeKey) {
        logEntries.enter(.init(scope: scope, place: place))
        places[key, in: scope] = place
    }

    func forEachRecord(
        in scope: ScopeKey, after sequence: UInt64,
        _ visit: (UInt64, ReplicaID, UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        try logEntries.write(with: self)
        let row = try statement(
            """
            SELECT log.sequence, author, message FROM log CROSS JOIN record ON record.row = log.row
            WHERE log.scope = ?1 AND log.sequence > ?2 AND record.sequence = log.sequence AND record.scope = ?1
            ORDER BY log.sequence, log.row
            """)
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
        guard let place = try place(of: key, in: scope) else { return }
        places[key, in: scope] = .some(nil)
        try run("DELETE FROM record WHERE row = ?") { $0.bind(1, place.row) }
        try logEntries.write(with: self)
        // The entry is deleted at once, because another record may reuse the row.
        try run("DELETE FROM log WHERE scope = ? AND sequence = ? AND row = ?") { delete in
            delete.bind(1, scope)
            delete.bind(2, place.sequence)
            delete.bind(3, place.row)
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
