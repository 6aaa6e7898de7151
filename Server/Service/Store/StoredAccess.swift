package import RoostModel
package import RoostProtocol

/// SHA-256 of a token: all that is stored of it.
package struct TokenHash: Hashable, Sendable {
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Four hexadecimal digits, for logs.
    package var short: String { Hex.encode(bytes.prefix(2)) }
}

/// What a device token opens.
package struct StoredToken: Hashable, Sendable {
    package enum State: Int64, Hashable, Sendable {
        case current = 0
        /// Given by a rotation and not used yet.
        case fresh = 1
        /// Replaced by a rotation; works until the new one is used, or its time is up.
        case retiring = 2
        /// Replaced by one that has been used: whoever shows it has stolen it or was stolen from.
        case dead = 3
    }

    package var hash: TokenHash
    package var scope: ScopeKey
    package var replica: ReplicaID
    package var state: State
    /// Milliseconds since 1970 when a retiring token stops working.
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
    /// Names the invite in lists.
    package var id: String
    package var role: Role
    /// Milliseconds since 1970.
    package var expires: UInt64
    package var usesLeft: Int
    package var isRevoked: Bool
    /// Milliseconds since 1970.
    package var created: UInt64
    /// The device that made it; `nil` where an earlier server did not note it.
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

    /// Whether it can still be redeemed.
    package func isOpen(at now: UInt64) -> Bool { !isRevoked && usesLeft > 0 && now < expires }
}

/// The replica that a request with a nonce led to, so that its repetition can be answered alike. Nothing that is stored gives the token
/// of the answer: that is derived from the request and a secret outside the store.
package struct StoredAnswer: Hashable, Sendable {
    /// SHA-256 over what was asked and the nonce.
    package var key: [UInt8]
    package var scope: ScopeKey
    package var replica: ReplicaID
    /// Milliseconds since 1970.
    package var created: UInt64

    package init(key: [UInt8], scope: ScopeKey, replica: ReplicaID, created: UInt64) {
        self.key = key
        self.scope = scope
        self.replica = replica
        self.created = created
    }
}
