internal import GRDB
internal import RoostModel

extension Replica {
    /// Whether local changes wait that are not sealed into a push.
    package func hasUnsealedChanges() throws -> Bool {
        try engineLook("look for local changes") { database in
            let sealed = try StateStore(database: database).integer(.sealed) ?? 0
            let query = try database.query("SELECT 1 FROM roost_outbox WHERE txn >= ? LIMIT 1")
            query.bind(1, sealed)
            return try query.first { _ in true } ?? false
        }
    }

    /// The number of the push that is sealed and not acknowledged; `nil` where none is.
    package func sealedPushNumber() throws -> UInt64? {
        try engineLook("read the sealed pushes") { database in
            try database.query("SELECT min(number) FROM roost_push WHERE staged = 0")
                .first { $0.optionalInteger(0).map { UInt64(clamping: $0) } } ?? nil
        }
    }

    /// The newest schema version that was fetched, or else the one that the tables follow.
    package func fetchedSchemaVersion() throws -> Int {
        try read("read the schema's version") { database in
            let state = StateStore(database: database)
            return Int(try state.integer(.nextSchemaVersion) ?? state.integer(.schemaVersion) ?? 1)
        }
    }

    /// Keeps a newer schema of the scope beside the one that the tables follow. What only the newer one knows is stored
    /// and passed on, and not shown.
    package func keepSchema(_ text: String, version: Int) throws {
        try engineWrite("keep the scope's new schema") { database in
            let state = StateStore(database: database)
            try state.set(.nextSchema, text)
            try state.set(.nextSchemaVersion, .integer(Int64(version)))
            try Journal(database: database, now: now).event(
                "schema",
                "The scope's schema is version \(version), this replica shows version \(schema.version). "
                    + "What it does not know is kept and passed on.")
        }
    }

    /// Starts over with pulling: the confirmed slots are forgotten, local changes and what is shown stay. With the last
    /// page of the next pull, records that the server does not have and nobody here wrote are taken away.
    package func forgetCheckpoint() throws {
        try engineWrite("start pulling anew") { database in
            let state = StateStore(database: database)
            try database.query("DELETE FROM roost_fact").run()
            try state.setDigest(ScopeDigest())
            try state.set(.checkpoint, .null)
            try state.set(.isRebuilding, .integer(1))
            try Journal(database: database, now: now).event(
                "integrity", "The replica differs from the server; it is pulled anew. Local changes are kept.")
        }
    }

    /// Ends what ``forgetCheckpoint()`` began.
    func finishRebuilding(_ database: Database) throws {
        let state = StateStore(database: database)
        guard try state.integer(.isRebuilding) == 1 else { return }
        let rows = try RowStore(database, layout)
        let stamps = try EffectiveStamps(database: database, replica: try state.replica)
        var gone: [RecordKey: OwnState] = [:]
        for table in layout.tables {
            for place in [table.visible, table.hidden] {
                let query = try database.query(
                    """
                    SELECT id FROM \(place) p WHERE NOT EXISTS
                      (SELECT 1 FROM roost_fact WHERE entity = \(table.entity) AND id = p.id AND put_stamp IS NOT NULL)
                    AND NOT EXISTS (SELECT 1 FROM roost_outbox WHERE entity = \(table.entity) AND id = p.id)
                    """)
                for id in try query.all({ $0.id(0) }).compactMap({ $0 }) {
                    gone[RecordKey(entity: table.entity, id: id)] = .absent
                }
            }
        }
        for key in gone.keys { try rows.erase(key) }
        try Visibility(rows: rows, stamps: stamps).update(changed: gone)
        try state.set(.isRebuilding, .null)
    }
}
