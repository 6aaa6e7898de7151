internal import GRDB
package import RoostModel

/// A replica file that was copied or restored needs an identity of its own (protocol.md §6.2).
extension Replica {
    /// The nonce to ask for a new identity with. It is stored before it is used, so that a lost answer is asked for again;
    /// a copy made meanwhile gets another one. It is written each time: a disk that takes nothing refuses here, before the server has made
    /// an identity that the file could not take.
    ///
    /// - Parameter fresh: The nonce to use where none is stored: random.
    package func renewalNonce(fresh: String) throws -> String {
        let fingerprint = try FileFingerprint(of: path).text
        return try engineWrite("prepare a new identity") { database in
            let state = StateStore(database: database)
            let stored = try state.text(.renewalFingerprint) == fingerprint ? try state.text(.renewalNonce) : nil
            let nonce = stored ?? fresh
            try state.set(.renewalNonce, nonce)
            try state.set(.renewalFingerprint, fingerprint)
            return nonce
        }
    }

    /// Goes on under a new identity: pushes count from 1, what was sealed is sealed anew, and the outbox carries the new
    /// replica in its stamps, whose times stay. Checkpoint, confirmed slots and what is shown stay.
    ///
    /// - Parameters:
    ///   - used: The token that the new identity was asked for with: the present one, or an earlier one that the server knows.
    ///   - reason: Why, for the log.
    package func renew(
        as replica: ReplicaID, token: String, with used: String? = nil, role: String, reason: String
    ) throws {
        let fingerprint = try FileFingerprint(of: path).text
        try taking(token, as: replica, with: used) {
            try engineWrite("take a new identity") { database in
                let old = try StateStore(database: database).replica
                try take(replica, role, fingerprint, database)
                try Journal(database: database, now: now).event(
                    "renewed",
                    "\(reason) It goes on as replica \(replica); it was \(old). All that the file holds stays.")
            }
        }
    }

    /// The nonce to join again with, for ``rejoin(_:resynchronising:)``. It is stored before it is used, so that a lost answer is asked for
    /// again; another request, or a copy made meanwhile, gets another one. It is written each time, as that of a renewal.
    ///
    /// - Parameters:
    ///   - request: What is asked for; only a hash of it is stored.
    ///   - fresh: The nonce to use where none is stored: random.
    package func joinNonce(for request: String, fresh: String) throws -> String {
        let place = try FileFingerprint(of: path).text
        let key = String(ContentHash(of: Array("\(place)\n\(request)".utf8)).value, radix: 16)
        return try engineWrite("prepare to join again") { database in
            let state = StateStore(database: database)
            let stored = try state.text(.joinNonce)?.parts(at: " ")
            let nonce = if let stored, stored.count == 2, stored[0] == key { stored[1] } else { fresh }
            try state.set(.joinNonce, "\(key) \(nonce)")
            return nonce
        }
    }

    /// Attaches the file to its scope again, under a new identity: as ``renew(as:token:with:role:reason:)``, whatever became of the old one.
    ///
    /// - Parameters:
    ///   - membership: In the same scope, perhaps on another server.
    ///   - reason: Why everything has to be pulled again; `nil` where the checkpoint is good.
    package func rejoin(_ membership: Membership, resynchronising reason: PullAnewReason?) throws {
        let fingerprint = try FileFingerprint(of: path).text
        try taking(membership.token, as: membership.replica, at: membership.tokenPlace) {
            try engineWrite("join the scope again") { database in
                let state = StateStore(database: database)
                let old = try state.replica
                try take(membership.replica, membership.role, fingerprint, database)
                try state.set(.scopeName, membership.scopeName)
                try state.set(.server, membership.server)
                try state.set(.deviceName, membership.deviceName)
                try state.set(.joinNonce, .null)
                // Learned again with the next answer.
                try state.set(.serverIdentity, .null)
                let journal = Journal(database: database, now: now)
                try journal.event(
                    "rejoined",
                    "The replica has joined its scope again on \(membership.server). It goes on as replica "
                        + "\(membership.replica); it was \(old). All that the file holds stays.")
                guard let reason else { return }
                try PulledAnew(database: database).start(reason)
                try journal.event(reason.event.kind, reason.event.text)
            }
        }
    }

    /// The identity of the server that answered last; `nil` where it has not said one.
    package func serverIdentity() throws -> String? {
        try engineLook("read which server it is") { try StateStore(database: $0).text(.serverIdentity) }
    }

    package func setServerIdentity(_ identity: String) throws {
        try engineWrite("write down which server it is", isRepeatable: true) { database in
            try StateStore(database: database).set(.serverIdentity, identity)
        }
    }

    /// Why everything is being pulled again; `nil` where it is not.
    package func reasonOfPullingAnew() throws -> PullAnewReason? {
        try engineLook("read why everything is pulled") { try StateStore(database: $0).pullingAnew }
    }

    /// Takes a new identity: pushes count from 1, what was sealed is sealed again, and the outbox carries the new replica in its stamps.
    private func take(
        _ replica: ReplicaID, _ role: String, _ fingerprint: String, _ database: Database
    ) throws {
        let state = StateStore(database: database)
        let former = try state.ownReplicas.subtracting([replica, .unregistered])
        try state.set(.formerReplicas, former.map(\.description).sorted().joined(separator: " "))
        try state.set(.replica, replica.description)
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
    }
}
