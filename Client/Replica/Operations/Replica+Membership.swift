internal import GRDB
public import RoostModel

extension Replica {
    /// Returns the replica's membership; `nil` if the replica belongs to no scope. Waits while a page is being applied.
    public func membership() throws -> Membership? {
        try engineLook("read the membership", isSnapshot: true) { database in
            let state = StateStore(database: database)
            guard let scope = try state.text(.scope).flatMap({ ScopeID($0) }), let server = try state.text(.server)
            else { return nil }
            let replica = try state.replica
            return Membership(
                scope: scope, scopeName: try state.text(.scopeName) ?? "", replica: replica, server: server,
                token: Credentials(tokens.entries(), for: replica).token,
                // The server refuses what a role of a later version does not allow.
                role: try state.text(.role).flatMap { ScopeRole(rawValue: $0) } ?? .editor,
                deviceName: try state.text(.deviceName) ?? "")
        }
    }

    /// Records that the replica belongs to a scope. The next push sends the records that it holds already.
    package func join(_ membership: Membership) throws {
        try taking(membership.token, as: membership.replica, at: membership.tokenPlace) {
            try engineWrite("join a scope") { database in
                let state = StateStore(database: database)
                try state.set(.scope, membership.scope.description)
                try state.set(.scopeName, membership.scopeName)
                try state.set(.replica, membership.replica.description)
                try state.set(.server, membership.server)
                try state.set(.role, membership.role.rawValue)
                try state.set(.deviceName, membership.deviceName)
                try state.set(.joinNonce, .null)
                try state.set(.fingerprint, try FileFingerprint(of: path).text)
            }
        }
    }

    /// Returns the names of the scope's devices, as last received.
    public func devices() throws -> [ReplicaID: String] {
        try engineLook("read the devices") { database in
            let query = try database.query("SELECT replica, name FROM roost_device")
            var names: [ReplicaID: String] = [:]
            while try query.step() {
                let id = query.bytes(0).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                names[ReplicaID(rawValue: id)] = query.text(1)
            }
            return names
        }
    }

    /// Stores the names and roles of the scope's devices, and this device's own role, which an owner may have changed.
    package func setDevices(_ devices: [(replica: ReplicaID, name: String, role: String)]) throws {
        try engineWrite("write down the devices") { database in
            let state = StateStore(database: database)
            let own = try state.replica
            if let role = devices.first(where: { $0.replica == own })?.role, try state.text(.role) != role {
                try state.set(.role, role)
            }
            for device in devices {
                var bytes: [UInt8] = []
                bytes.appendBigEndian(device.replica.rawValue)
                let query = try database.query(
                    "INSERT OR REPLACE INTO roost_device(replica, name, role) VALUES (?, ?, ?)")
                query.bind(1, bytes)
                query.bind(2, device.name)
                query.bind(3, device.role)
                try query.run()
            }
        }
    }

    /// Returns the replica's checkpoint; `nil` before the first page of the first pull or of a full resynchronisation.
    package func checkpoint() throws -> [UInt8]? {
        try engineLook("read the checkpoint") { try StateStore(database: $0).bytes(.checkpoint) }
    }

    /// Returns the checkpoint for the next pull; without one, the number of the running full resynchronisation, if any.
    ///
    /// A full resynchronisation without a checkpoint discards its stored pages. The new pages will hold everything that the
    /// server has accepted before, unless the server has lost it meanwhile.
    package func startOfPull() throws -> PageStart {
        let (checkpoint, anew, startsOver) = try engineLook("read the checkpoint") { database in
            let state = StateStore(database: database)
            let checkpoint = try state.bytes(.checkpoint)
            let isAnew = try checkpoint == nil && state.pullingAnew != nil
            return (checkpoint, isAnew ? try state.anew : nil, try isAnew && !database.isEmpty("roost_pulled"))
        }
        if startsOver {
            try engineWrite("start pulling anew") { try $0.query("DELETE FROM roost_pulled").run() }
        }
        return .checkpoint(checkpoint, anew: anew)
    }

    /// Returns the digest of the confirmed slots. It is equal on the server and on every replica of a scope at the same
    /// checkpoint.
    public func digest() throws -> ScopeDigest {
        try engineLook("read the digest") { try StateStore(database: $0).digest }
    }
}
