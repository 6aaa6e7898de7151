package import RoostModel
package import RoostProtocol

/// The SHA-256 of a token, which is stored in its place.
package struct TokenHash: Hashable, Sendable {
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Four hexadecimal digits, for logs.
    package var short: String { Hex.encode(bytes.prefix(2)) }
}

/// The access of a device token.
package struct StoredToken: Hashable, Sendable {
    package enum State: Int64, Hashable, Sendable {
        case current = 0
        /// Made by a rotation and not used yet.
        case fresh = 1
        /// Replaced by a rotation. It works until the new one is used, or until it expires.
        case retiring = 2
        /// Replaced by a token that has been used. A caller that uses it has stolen it, or its successor was stolen.
        case dead = 3
    }

    package var hash: TokenHash
    package var scope: ScopeKey
    package var replica: ReplicaID
    package var state: State
    /// The time at which a retiring token stops working, in milliseconds since 1970.
    package var until: UInt64

    package init(hash: TokenHash, scope: ScopeKey, replica: ReplicaID, state: State = .current, until: UInt64 = 0) {
        self.hash = hash
        self.scope = scope
        self.replica = replica
        self.state = state
        self.until = until
    }
}

/// An invite into a scope.
package struct StoredInvite: Hashable, Sendable {
    package var hash: TokenHash
    package var scope: ScopeKey
    /// The identifier of the invite in lists.
    package var id: String
    package var role: Role
    /// The time of expiry, in milliseconds since 1970.
    package var expires: UInt64
    package var usesLeft: Int
    package var isRevoked: Bool
    /// The time of creation, in milliseconds since 1970.
    package var created: UInt64
    /// The device that created it; `nil` if an earlier server did not record it.
    package var creator: ReplicaID?

    package init(
        hash: TokenHash, scope: ScopeKey, id: String, role: Role, expires: UInt64, usesLeft: Int,
        isRevoked: Bool = false, created: UInt64, creator: ReplicaID? = nil
    ) {
        self.hash = hash
        self.scope = scope
        self.id = id
        self.role = role
        self.expires = expires
        self.usesLeft = usesLeft
        self.isRevoked = isRevoked
        self.created = created
        self.creator = creator
    }

    /// Whether the invite can still be redeemed.
    package func isOpen(at now: UInt64) -> Bool { !isRevoked && usesLeft > 0 && now < expires }
}

/// The replica that a request with a nonce created, so that a repeated request gets an equal answer. The stored data does
/// not reveal the answer's token, which is derived from the request and a secret outside the store.
package struct StoredAnswer: Hashable, Sendable {
    /// The SHA-256 of the request and the nonce.
    package var key: [UInt8]
    package var scope: ScopeKey
    package var replica: ReplicaID
    /// The time of the answer, in milliseconds since 1970.
    package var created: UInt64

    package init(key: [UInt8], scope: ScopeKey, replica: ReplicaID, created: UInt64) {
        self.key = key
        self.scope = scope
        self.replica = replica
        self.created = created
    }
}
