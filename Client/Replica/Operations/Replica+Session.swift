internal import GRDB
package import RoostModel

extension Replica {
    /// Returns the number of the push that is sealed and not acknowledged; `nil` if there is none.
    package func sealedPushNumber() throws -> UInt64? {
        try engineLook("read the sealed pushes") { database in
            try database.query("SELECT min(number) FROM roost_push WHERE staged = 0")
                .first { $0.optionalInteger(0).map { UInt64(clamping: $0) } } ?? nil
        }
    }

    /// Stores a newer schema of the scope alongside the one that the tables follow. Fields that only the newer schema has
    /// are stored and passed on, but not shown.
    package func keepSchema(_ text: String, version: Int) throws {
        try engineWrite("keep the scope's new schema") { database in
            let state = StateStore(database: database)
            try state.set(.nextSchema, text)
            try state.set(.nextSchemaVersion, .integer(Int64(version)))
            // The version is read from the JSON text: a schema that this program cannot parse may demand a later version,
            // too.
            let demanded = (try? JSONParser.parse(text))?["minimumVersion"]?.integerValue ?? 1
            try state.set(.minimumVersion, .integer(max(demanded, try state.integer(.minimumVersion) ?? 1)))
            try Journal(database: database, now: now).event(
                "schema",
                "The scope's schema is version \(version), this replica shows version \(schema.version). "
                    + "What it does not know is kept and passed on.")
        }
    }

    /// Starts a full resynchronisation. The visible rows, the confirmed slots and the outbox stay as they are until the last
    /// page. Then one transaction replaces the confirmed slots by the server's, and records what the server has lost, to be
    /// brought back (``nextLost(limit:bytesMax:)``).
    package func pullAnew(_ reason: PullAnewReason) throws {
        try engineWrite("start pulling anew") { database in
            try ServerCopy(database: database).start(reason)
            try Journal(database: database, now: now).event(reason.event.kind, reason.event.text)
        }
    }

    /// Stores a page of a full resynchronisation. The last page applies all of them.
    func storeCopy(
        _ records: [RecordState], _ purged: [RecordKey], isLast: Bool, _ database: Database
    ) throws -> ApplyReport {
        let pulled = ServerCopy(database: database)
        for key in purged { try pulled.forget(key) }
        for record in records { try pulled.join(record) }
        let state = StateStore(database: database)
        guard isLast, let reason = try state.pullingAnew else { return ApplyReport() }
        var takeover = try Takeover(database, layout, reason: reason, now: now)
        var report = try takeover.run()
        try state.set(.pullingAnew, .null)
        try ScrubState(database: database).repaired(at: now)
        report.pulledAnew = reason
        return report
    }
}
