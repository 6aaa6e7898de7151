internal import GRDB
package import RoostModel

extension Replica {
    /// The number of the push that is sealed and not acknowledged; `nil` where none is.
    package func sealedPushNumber() throws -> UInt64? {
        try engineLook("read the sealed pushes") { database in
            try database.query("SELECT min(number) FROM roost_push WHERE staged = 0")
                .first { $0.optionalInteger(0).map { UInt64(clamping: $0) } } ?? nil
        }
    }

    /// Keeps a newer schema of the scope beside the one that the tables follow. What only the newer one knows is stored
    /// and passed on, and not shown.
    package func keepSchema(_ text: String, version: Int) throws {
        try engineWrite("keep the scope's new schema") { database in
            let state = StateStore(database: database)
            try state.set(.nextSchema, text)
            try state.set(.nextSchemaVersion, .integer(Int64(version)))
            // Looked up in the text: one that this program cannot read as a schema demands it all the more.
            let demanded = (try? JSONParser.parse(text))?["minimumVersion"]?.integerValue ?? 1
            try state.set(.minimumVersion, .integer(max(demanded, try state.integer(.minimumVersion) ?? 1)))
            try Journal(database: database, now: now).event(
                "schema",
                "The scope's schema is version \(version), this replica shows version \(schema.version). "
                    + "What it does not know is kept and passed on.")
        }
    }

    /// Starts over with pulling. What is shown, the confirmed slots and the outbox stay as they are until the last page is
    /// there; then, in one transaction, the confirmed slots become the server's, and what it has lost is written down to be
    /// brought back (``nextLost(limit:bytesMax:)``).
    package func pullAnew(_ reason: PullAnewReason) throws {
        try engineWrite("start pulling anew") { database in
            try PulledAnew(database: database).start(reason)
            try Journal(database: database, now: now).event(reason.event.kind, reason.event.text)
        }
    }

    /// Keeps a page of those pulled anew; with the last one they take effect.
    func takeAnew(
        _ records: [RecordState], _ purged: [RecordKey], isLast: Bool, _ database: Database
    ) throws -> ApplyReport {
        let pulled = PulledAnew(database: database)
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
