package import RoostModel
internal import RoostProtocol

/// Work of an operator on the store itself, also while another process serves it.
extension SyncService {
    /// A scope as an operator sees it.
    package struct ScopeSummary: Hashable, Sendable {
        package let key: ScopeKey
        package let id: ScopeID
        package let name: String
        /// Devices that have access, each once however often it was renewed.
        package let devices: Int
        /// The owners among them.
        package let owners: Int
    }

    /// Lists all scopes, oldest first.
    package static func scopes(in store: any Store) throws -> [ScopeSummary] {
        try store.read { snapshot in
            try snapshot.scopes().map { key in
                guard let scope = try snapshot.scope(key) else {
                    throw StoreError.damaged("a scope is listed and missing")
                }
                let replicas = try snapshot.replicas(of: key).filter { !$0.isRevoked }
                return ScopeSummary(
                    key: key, id: scope.id, name: scope.name, devices: Set(replicas.map(\.device)).count,
                    owners: Set(replicas.filter { $0.role == .owner }.map(\.device)).count)
            }
        }
    }

    /// Makes an invite for one owner of a scope, which no device has made: whoever runs the server may let an owner in where none is left.
    /// It is not counted among the scope's open invites, and opens a scope that has as many devices as it may.
    ///
    /// - Parameter now: Milliseconds since 1970.
    /// - Returns: The token of the invite, which is shown this once.
    package static func inviteOwner(
        to scope: ScopeKey, hours: Int, in store: any Store, random: RandomSource, now: UInt64
    ) throws -> Token {
        let token = Token(.invite) { _ in random.bytes(32) }
        let invite = StoredInvite(
            hash: token.hash, scope: scope, id: Hex.encode(random.bytes(8)), role: .owner,
            expires: now + UInt64(hours) * 3_600_000, usesLeft: 1, created: now)
        try store.write { try $0.put(invite) }
        return token
    }
}
