package import RoostModel
internal import RoostProtocol

/// An operator's work on the store itself, even while another process serves it.
extension SyncService {
    /// A scope as an operator sees it.
    package struct ScopeSummary: Hashable, Sendable {
        package let key: ScopeKey
        package let id: ScopeID
        package let name: String
        /// The number of devices that have access. A device counts once, however often it was renewed.
        package let devices: Int
        /// The number of owners among the devices.
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

    /// Creates an invite for one owner of a scope on behalf of the server's operator, who may admit an owner if none is
    /// left. It is not counted among the scope's open invites, and is valid even if the scope has its maximum of devices.
    ///
    /// - Parameter now: Milliseconds since 1970.
    /// - Returns: The token of the invite, which is returned only once.
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
