internal import GRDB
package import RoostModel

/// A replica file that was copied or restored needs an identity of its own (protocol.md §6.2).
extension Replica {
    /// The nonce to ask for a new identity with. It is stored before it is used, so that a lost answer is asked for again;
    /// a copy made meanwhile gets another one.
    ///
    /// - Parameter fresh: The nonce to use where none is stored: random.
    package func renewalNonce(fresh: String) throws -> String {
        let fingerprint = try FileFingerprint(of: path).text
        return try engineWrite("prepare a new identity") { database in
            let state = StateStore(database: database)
            if let nonce = try state.text(.renewalNonce), try state.text(.renewalFingerprint) == fingerprint {
                return nonce
            }
            try state.set(.renewalNonce, fresh)
            try state.set(.renewalFingerprint, fingerprint)
            return fresh
        }
    }

    /// Goes on under a new identity: pushes count from 1, what was sealed is sealed anew, and the outbox carries the new
    /// replica in its stamps, whose times stay. Checkpoint, confirmed slots and what is shown stay.
    ///
    /// - Parameter reason: Why, for the log.
    package func renew(as replica: ReplicaID, token: String, role: String, reason: String) throws {
        let fingerprint = try FileFingerprint(of: path).text
        try engineWrite("take a new identity") { database in
            let state = StateStore(database: database)
            let old = try state.replica
            let former = try state.ownReplicas.union([old]).subtracting([replica, .unregistered])
            try state.set(.formerReplicas, former.map(\.description).sorted().joined(separator: " "))
            try state.set(.replica, replica.description)
            try state.set(.token, token)
            try state.set(.role, role)
            try state.set(.pushNumber, .integer(0))
            try state.set(.fingerprint, fingerprint)
            try state.set(.renewalNonce, .null)
            try state.set(.renewalFingerprint, .null)
            // Stamps of the outbox are times; the replica is added when they are sealed.
            try database.query("DELETE FROM roost_push").run()
            // Of two stamps of one time the replica decides, so that another change may be the later one now.
            try Outbox(database: database).unsettleAll()
            try Settlement(database: database, layout: layout, replica: replica).settle()
            try Journal(database: database, now: now).event(
                "renewed", "\(reason) It goes on as replica \(replica); it was \(old). Nothing was lost.")
        }
    }
}
