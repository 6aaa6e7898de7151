internal import GRDB
internal import RoostModel

/// What a session needs to know of its replica before anything else.
package struct SessionStart: Sendable {
    /// The device token in force: a secret; empty for a replica that no server knows.
    package let token: String
    /// The token before, while it is not known whether a rotation has reached the server.
    package let earlierToken: String?
    /// The push that is sealed and not acknowledged; `nil` where none is.
    package let sealedPush: UInt64?
    /// Whether anything waits to be pushed, sealed or not.
    package let hasWaitingChanges: Bool
    /// Whether so much of it is not sealed that sealing takes a while: ``manyWaiting`` changes.
    package let hasManyWaiting: Bool
    /// What others had committed at that moment.
    package let commits: ForeignCommits
    /// Whether this file is another one than that which was synchronised last: a copy, or restored from one. So is one whose token is of
    /// another identity than the file's.
    ///
    /// A file that was never asked is taken for the one it was made as.
    package let isCopy: Bool
    /// Whether the device may only read, as it was last heard.
    package let isViewer: Bool
    /// Whether the replica has never applied a page.
    package let begins: Bool
    /// The newest version of the scope's schema that was fetched, or else the one that the tables follow.
    package let schemaVersion: Int
    /// Why the replica may not synchronise at all: the scope demands a later version than that of the tables.
    package let refusal: ReplicaError?

    /// From how many changes on it is worth to open a connection while they are sealed: some milliseconds.
    static let manyWaiting = 500
}

extension Replica {
    private static let starting = StateSnapshot.Names([
        .replica, .fingerprint, .checkpoint, .pullingAnew, .damaged, .schemaVersion, .nextSchemaVersion,
        .minimumVersion, .role,
    ])

    /// The next push to send, how many changes wait up to ``SessionStart/manyWaiting``, and whether there are pushes.
    private static let outboxSQL = """
        SELECT (SELECT min(number) FROM roost_push WHERE staged = 0),
          (SELECT count(*) FROM (SELECT 1 FROM roost_outbox LIMIT \(SessionStart.manyWaiting)))
            + (SELECT count(*) FROM (SELECT 1 FROM roost_mark LIMIT \(SessionStart.manyWaiting))),
          EXISTS (SELECT 1 FROM roost_push)
        """

    /// Reads what a session starts from, as it is at one moment.
    ///
    /// - Throws: ``ReplicaError`` where the file cannot be read; it is unchanged then.
    package func sessionStart() throws -> SessionStart {
        switchLogOn()
        let place = try FileFingerprint(of: path).text
        if try engineLook("look at the tables", hasOtherTables) {
            do {
                try verifyLayout()
            } catch let error as ReplicaError where error.code == .corrupt {
                // The operation that needs the corrupt part reports it.
            }
        }
        let (state, outbox, commits) = try engineLook("read where the replica stands", isSnapshot: true) { database in
            let state = try StateSnapshot(Self.starting, in: database)
            let outbox = try database.query(Self.outboxSQL).first { row in
                (sealed: row.optionalInteger(0), waiting: row.integer(1), hasPushes: row.integer(2) != 0)
            }
            return (state, outbox ?? (nil, 0, false), try database.foreignCommits())
        }
        let known = state.text(.fingerprint)
        let credentials = Credentials(tokens.entries(), for: try state.replica)
        if known == nil {
            try engineWrite("write down where the replica is") {
                try StateStore(database: $0).set(.fingerprint, place)
            }
        }
        return SessionStart(
            token: credentials.token, earlierToken: credentials.earlier,
            sealedPush: outbox.sealed.map { UInt64(clamping: $0) },
            hasWaitingChanges: outbox.waiting > 0 || outbox.hasPushes,
            hasManyWaiting: outbox.waiting >= SessionStart.manyWaiting, commits: commits,
            isCopy: credentials.isOfAnother || known.map { $0 != place } ?? false,
            isViewer: state.text(.role) == "viewer", begins: try state.begins,
            schemaVersion: Int(state.integer(.nextSchemaVersion) ?? state.integer(.schemaVersion) ?? 1),
            refusal: refusal(ofMinimum: state.integer(.minimumVersion)))
    }

    /// - Throws: ``ReplicaError`` with the code `schemaTooOld` where the scope demands a later version than that of the tables.
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
