internal import GRDB
package import RoostModel

/// The identity of a replica. A file that was copied or restored needs a new one (protocol.md §6.2).
extension Replica {
    /// Returns the nonce for requesting a new identity. It is stored before it is sent, so that a lost reply can be
    /// requested again; a copy of the file made meanwhile gets another nonce. It is written on every call, so that a full
    /// disk fails here, before the server has made an identity that the file could not store.
    ///
    /// - Parameter fresh: A random nonce, used if none is stored.
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

    /// Adopts a new identity. Push numbers restart at 1, sealed pushes are sealed again, and the stamps of the outbox carry
    /// the new replica but keep their times. The checkpoint, the confirmed slots and the visible rows stay.
    ///
    /// - Parameters:
    ///   - used: The token that requested the new identity: the current one, or an earlier one that the server accepts.
    ///   - reason: The reason for the log.
    package func renew(
        as replica: ReplicaID, token: String, with used: String? = nil, role: String, reason: String
    ) throws {
        let fingerprint = try FileFingerprint(of: path).text
        try taking(token, as: replica, with: used) {
            try engineWrite("take a new identity") { database in
                let old = try StateStore(database: database).replica
                try adopt(replica, role, fingerprint, database)
                try Journal(database: database, now: now).event(
                    "renewed",
                    "\(reason) It goes on as replica \(replica); it was \(old). All that the file holds stays.")
            }
        }
    }

    /// Returns the nonce for joining again, for ``rejoin(_:resynchronising:)``. It is stored before it is sent, so that a
    /// lost reply can be requested again; another request, or a copy of the file made meanwhile, gets another nonce. It is
    /// written on every call, so that a full disk fails before the request.
    ///
    /// - Parameters:
    ///   - request: The content of the request; only a hash of it is stored.
    ///   - fresh: A random nonce, used if none is stored.
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

    /// Joins the file to its scope again under a new identity, like ``renew(as:token:with:role:reason:)`` but independently
    /// of the old identity.
    ///
    /// - Parameters:
    ///   - membership: A membership of the same scope, possibly on another server.
    ///   - reason: The reason for a full resynchronisation; `nil` if the checkpoint is valid.
    package func rejoin(_ membership: Membership, resynchronising reason: PullAnewReason?) throws {
        let fingerprint = try FileFingerprint(of: path).text
        try taking(membership.token, as: membership.replica, at: membership.tokenPlace) {
            try engineWrite("join the scope again") { database in
                let state = StateStore(database: database)
                let old = try state.replica
                try adopt(membership.replica, membership.role.rawValue, fingerprint, database)
                try state.set(.scopeName, membership.scopeName)
                try state.set(.server, membership.server)
                try state.set(.deviceName, membership.deviceName)
                try state.set(.joinNonce, .null)
                // The server's next reply sets it again.
                try state.set(.serverIdentity, .null)
                let journal = Journal(database: database, now: now)
                try journal.event(
                    "rejoined",
                    "The replica has joined its scope again on \(membership.server). It goes on as replica "
                        + "\(membership.replica); it was \(old). All that the file holds stays.")
                guard let reason else { return }
                try ServerCopy(database: database).start(reason)
                try journal.event(reason.event.kind, reason.event.text)
            }
        }
    }

    /// Returns the identity of the server that replied last; `nil` if it has not sent one.
    package func serverIdentity() throws -> String? {
        try engineLook("read which server it is") { try StateStore(database: $0).text(.serverIdentity) }
    }

    /// Stores the identity of the server that replied last.
    package func setServerIdentity(_ identity: String) throws {
        try engineWrite("write down which server it is", isRepeatable: true) { database in
            try StateStore(database: database).set(.serverIdentity, identity)
        }
    }

    /// Returns the reason of the running full resynchronisation; `nil` if none is running.
    package func reasonOfPullingAnew() throws -> PullAnewReason? {
        try engineLook("read why everything is pulled") { try StateStore(database: $0).pullingAnew }
    }

    /// Stores a new identity: push numbers restart at 1, sealed pushes are sealed again, and the outbox gets the new replica
    /// in its stamps.
    private func adopt(
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
        // The outbox stores only the times of stamps; sealing adds the replica.
        try database.query("DELETE FROM roost_push").run()
        // The replica orders stamps of equal time, so that another change may be the later one now.
        try Outbox(database: database).unsettleAll()
        try Settlement(database: database, layout: layout, replica: replica).settle()
    }
}
