internal import GRDB
public import RoostModel

extension Replica {
    private static let membershipState = StateSnapshot.Names([
        .scope, .scopeName, .replica, .server, .role, .deviceName,
    ])

    /// The replica's membership; `nil` for one that no server knows. Waits while a page is being applied.
    public func membership() throws -> Membership? {
        try engineLook("read the membership", isSnapshot: true) { database in
            let state = try StateSnapshot(Self.membershipState, in: database)
            guard let scope = state.text(.scope).flatMap({ ScopeID($0) }), let server = state.text(.server) else {
                return nil
            }
            let replica = try state.replica
            return Membership(
                scope: scope, scopeName: state.text(.scopeName) ?? "", replica: replica, server: server,
                token: Credentials(tokens.entries(), for: replica).token, role: state.text(.role) ?? "",
                deviceName: state.text(.deviceName) ?? "")
        }
    }

    /// Writes down that the replica belongs to a scope. What it holds already goes there with the next push.
    package func join(_ membership: Membership) throws {
        try taking(membership.token, as: membership.replica, at: membership.tokenPlace) {
            try engineWrite("join a scope") { database in
                let state = StateStore(database: database)
                try state.set(.scope, membership.scope.description)
                try state.set(.scopeName, membership.scopeName)
                try state.set(.replica, membership.replica.description)
                try state.set(.server, membership.server)
                try state.set(.role, membership.role)
                try state.set(.deviceName, membership.deviceName)
                try state.set(.joinNonce, .null)
                try state.set(.fingerprint, try FileFingerprint(of: path).text)
            }
        }
    }

    /// The names and roles of the scope's devices, as last heard.
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

    /// Writes down the names and roles of the scope's devices, and this device's own role: an owner may have changed it.
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

    /// The server's checkpoint that the replica stands at; `nil` before the first pull.
    package func checkpoint() throws -> [UInt8]? {
        try engineLook("read the checkpoint") { try StateStore(database: $0).bytes(.checkpoint) }
    }

    /// The checkpoint to pull from now, and whether that is to be everything anew.
    ///
    /// A pull of everything anew starts over with it where it has no page yet: what the server took in before will be in
    /// its pages, unless it has lost that meanwhile.
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

    /// The digest of the confirmed slots: equal on every replica of a scope at the same checkpoint, and on the server.
    public func digest() throws -> ScopeDigest {
        try engineLook("read the digest") { try StateStore(database: $0).digest }
    }
}
