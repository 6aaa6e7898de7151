internal import RoostModel
internal import RoostProtocol
internal import RoostService

extension SQLiteTransaction {
    private static let replicaColumns = "id, name, role, created, last_seen, revoked, cursor, pulled, device, inviter"

    func replica(_ id: ReplicaID, in scope: ScopeKey) throws -> StoredReplica? {
        try first(
            "SELECT \(Self.replicaColumns) FROM replica WHERE scope = ? AND id = ?",
            { row in
                row.bind(1, scope)
                row.bind(2, id)
            }, { try replica($0, scope) })
    }

    func replicas(of scope: ScopeKey) throws -> [StoredReplica] {
        try all(
            "SELECT \(Self.replicaColumns) FROM replica WHERE scope = ? ORDER BY created, id", { $0.bind(1, scope) },
            { try replica($0, scope) })
    }

    private func replica(_ row: SQLiteStatement, _ scope: ScopeKey) throws -> StoredReplica {
        guard let role = Role(rawValue: row.text(2)) else { throw StoreError.damaged("a replica has no known role") }
        var replica = StoredReplica(
            id: row.replica(0), scope: scope, name: row.text(1), role: role, created: row.uint64(3),
            lastSeen: row.uint64(4), isRevoked: row.int(5) != 0, device: row.known(8), inviter: row.known(9))
        replica.cursor = row.isNull(6) ? nil : row.uint64(6)
        replica.pulled = row.uint64(7)
        return replica
    }

    func insert(_ replica: StoredReplica) throws {
        try run(
            """
            INSERT INTO replica(scope, id, name, role, created, last_seen, revoked, cursor, pulled, device, inviter)
            VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        ) { row in
            row.bind(1, replica.scope)
            row.bind(2, replica.id)
            row.bind(3, replica.name)
            row.bind(4, replica.role.rawValue)
            row.bind(5, replica.created)
            row.bind(6, replica.lastSeen)
            row.bind(7, replica.isRevoked ? 1 : 0)
            row.bind(8, replica.cursor)
            row.bind(9, replica.pulled)
            row.bind(10, replica.device)
            row.bind(11, replica.inviter ?? .unregistered)
        }
    }

    func update(_ replica: StoredReplica) throws {
        try run(
            """
            UPDATE replica SET name = ?, role = ?, last_seen = ?, revoked = ?, cursor = ?, pulled = ?
            WHERE scope = ? AND id = ?
            """
        ) { row in
            row.bind(1, replica.name)
            row.bind(2, replica.role.rawValue)
            row.bind(3, replica.lastSeen)
            row.bind(4, replica.isRevoked ? 1 : 0)
            row.bind(5, replica.cursor)
            row.bind(6, replica.pulled)
            row.bind(7, replica.scope)
            row.bind(8, replica.id)
        }
    }

    // MARK: Progress

    func progress(of replica: ReplicaID, in scope: ScopeKey) throws -> StoredProgress {
        try first(
            "SELECT number, hash, reply, stamp, continuation FROM progress WHERE scope = ? AND replica = ?",
            { row in
                row.bind(1, scope)
                row.bind(2, replica)
            }
        ) { row in
            var progress = StoredProgress()
            progress.number = row.uint64(0)
            progress.hash = row.bytes(1)
            progress.reply = row.bytes(2)
            progress.stamp = row.uint64(3)
            progress.continuation = StoredProgress.Continuation(rawValue: row.int64(4)) ?? .none
            return progress
        } ?? StoredProgress()
    }

    func update(_ progress: StoredProgress, of replica: ReplicaID, in scope: ScopeKey) throws {
        try run(
            """
            INSERT INTO progress(scope, replica, number, hash, reply, stamp, continuation) VALUES(?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT(scope, replica) DO UPDATE SET number = excluded.number, hash = excluded.hash,
              reply = excluded.reply, stamp = excluded.stamp, continuation = excluded.continuation
            """
        ) { row in
            row.bind(1, scope)
            row.bind(2, replica)
            row.bind(3, progress.number)
            row.bind(4, progress.hash)
            row.bind(5, progress.reply)
            row.bind(6, progress.stamp)
            row.bind(7, progress.continuation.rawValue)
        }
    }

    func stagedParts(of replica: ReplicaID, in scope: ScopeKey) throws -> [StagedPart] {
        try all(
            "SELECT ordinal, changes, bytes, body FROM staged WHERE scope = ? AND replica = ? ORDER BY ordinal",
            { row in
                row.bind(1, scope)
                row.bind(2, replica)
            }, { StagedPart(ordinal: $0.int(0), changes: $0.int(1), bytes: $0.int(2), body: $0.bytes(3)) })
    }

    func stagedBytes(in scope: ScopeKey) throws -> Int {
        try first(
            "SELECT coalesce(sum(length(body)), 0) FROM staged WHERE scope = ?", { $0.bind(1, scope) }, { $0.int(0) })
            ?? 0
    }

    func stage(_ part: StagedPart, of replica: ReplicaID, in scope: ScopeKey) throws {
        try run("INSERT INTO staged(scope, replica, ordinal, changes, bytes, body) VALUES(?, ?, ?, ?, ?, ?)") { row in
            row.bind(1, scope)
            row.bind(2, replica)
            row.bind(3, part.ordinal)
            row.bind(4, part.changes)
            row.bind(5, part.bytes)
            row.bind(6, part.body)
        }
    }

    func removeStagedParts(of replica: ReplicaID, in scope: ScopeKey) throws {
        try run("DELETE FROM staged WHERE scope = ? AND replica = ?") { row in
            row.bind(1, scope)
            row.bind(2, replica)
        }
    }
}
