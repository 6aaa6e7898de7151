internal import GRDB
internal import RoostModel

/// The state that a session reads before anything else.
package struct SessionStart: Sendable {
    /// The current device token: a secret; empty if the replica belongs to no scope.
    package let token: String
    /// The token before the current one, while a rotation may not have reached the server.
    package let earlierToken: String?
    /// The number of the push that is sealed and not acknowledged; `nil` if there is none.
    package let sealedPush: UInt64?
    /// Whether any changes are pending, sealed or not.
    package let hasWaitingChanges: Bool
    /// Whether many changes are pending, so that sealing may take a while.
    package let hasManyWaiting: Bool
    /// The commits of other connections at the moment of the snapshot.
    package let commits: ForeignCommits
    /// Whether this file is not the one that was synchronised last: it is a copy or was restored from one, or its token
    /// belongs to another identity than the file's.
    ///
    /// A file without a stored fingerprint counts as the original.
    package let isCopy: Bool
    /// Whether the device may only read, according to its last received role.
    package let isViewer: Bool
    /// Whether the replica has never applied a page.
    package let begins: Bool
    /// The newest version of the scope's schema that was fetched; the version of the tables if there is none.
    package let schemaVersion: Int
    /// The reason why the replica must not synchronise, if the scope demands a later version than that of the tables.
    package let refusal: ReplicaError?

    /// The number of changes from which opening a connection while sealing them is worthwhile: sealing takes some
    /// milliseconds.
    package static let manyWaiting = 500
}

extension Replica {
    /// Three values: the next push to send, the number of pending changes up to a limit for the outbox and for the marks,
    /// and the existence of pushes.
    private static let outboxSQL = """
        SELECT (SELECT min(number) FROM roost_push WHERE staged = 0),
          (SELECT count(*) FROM (SELECT 1 FROM roost_outbox LIMIT ?1))
            + (SELECT count(*) FROM (SELECT 1 FROM roost_mark LIMIT ?1)),
          EXISTS (SELECT 1 FROM roost_push)
        """

    /// Reads the state that a session starts from, in one snapshot.
    ///
    /// - Parameter manyWaiting: The number of pending changes that counts as many.
    /// - Throws: ``ReplicaError`` if the file cannot be read; it is unchanged then.
    package func sessionStart(manyWaiting: Int = SessionStart.manyWaiting) throws -> SessionStart {
        switchLogOn()
        let place = try FileFingerprint(of: path).text
        if try engineLook("look at the tables", hasOtherTables) {
            do {
                try verifyLayout()
            } catch let error as ReplicaError where error.code == .corrupt {
                // The operation that needs the corrupt part reports it.
            }
        }
        let action = "read where the replica stands"
        let (control, settings, outbox, commits) = try engineLook(action, isSnapshot: true) { database in
            let control = try ControlRow(database)
            let state = StateStore(database: database)
            let settings = (
                fingerprint: try state.text(.fingerprint), isViewer: try state.text(.role) == "viewer",
                schemaVersion: try state.integer(.nextSchemaVersion) ?? state.integer(.schemaVersion) ?? 1,
                minimumVersion: try state.integer(.minimumVersion)
            )
            let pending = try database.query(Self.outboxSQL)
            pending.bind(1, manyWaiting)
            let outbox = try pending.first { row in
                (sealed: row.optionalInteger(0), waiting: row.integer(1), hasPushes: row.integer(2) != 0)
            }
            return (control, settings, outbox ?? (nil, 0, false), try database.foreignCommits())
        }
        let known = settings.fingerprint
        let credentials = Credentials(tokens.entries(), for: control.replica)
        if known == nil {
            try engineWrite("write down where the replica is") {
                try StateStore(database: $0).set(.fingerprint, place)
            }
        }
        return SessionStart(
            token: credentials.token, earlierToken: credentials.earlier,
            sealedPush: outbox.sealed.map { UInt64(clamping: $0) },
            hasWaitingChanges: outbox.waiting > 0 || outbox.hasPushes,
            hasManyWaiting: outbox.waiting >= manyWaiting, commits: commits,
            isCopy: credentials.isOfAnother || known.map { $0 != place } ?? false,
            isViewer: settings.isViewer, begins: control.begins, schemaVersion: Int(settings.schemaVersion),
            refusal: refusal(ofMinimum: settings.minimumVersion))
    }

    /// Throws if the replica's schema is too old to synchronise.
    ///
    /// - Throws: ``ReplicaError`` with the code `schemaTooOld` if the scope demands a later version than that of the tables.
    package func checkVersion() throws {
        let minimum = try engineLook("read the schema's version") {
            try StateStore(database: $0).integer(.minimumVersion)
        }
        if let refusal = refusal(ofMinimum: minimum) { throw refusal }
    }

    private func refusal(ofMinimum minimum: Int64?) -> ReplicaError? {
        guard let minimum, schema.version < minimum else { return nil }
        return ReplicaError(
            .schemaTooOld,
            "Cannot synchronise \"\(path)\": its schema is version \(schema.version), and the scope demands version \(minimum) or later. Local changes wait. Update the program, or migrate the replica with \"roost migrate\"."
        )
    }
}
