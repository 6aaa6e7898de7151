internal import Crypto
internal import RoostModel
package import RoostProtocol

/// The rules of access to a scope: its members, their tokens and roles, invites, and the schema in force.
///
/// Each method runs inside one transaction, and looks up the member's role there.
package struct AccessHandler: Sendable {
    /// The time during which a repeated request with its nonce gets an equal answer.
    static let answerMilliseconds: UInt64 = 10 * 60 * 1000
    /// The time for which a token works after a rotation whose new token is not used.
    static let retiringMilliseconds: UInt64 = 24 * 3600 * 1000

    let limits: Limits
    let random: RandomSource
    private let tokenSecret: [UInt8]

    /// Creates a handler.
    ///
    /// - Parameter tokenSecret: The secret from which tokens are derived. It must not be in the store: a copy of the store
    ///   would then reveal the tokens of the last ten minutes.
    package init(limits: Limits, random: RandomSource, tokenSecret: [UInt8]) {
        self.limits = limits
        self.random = random
        self.tokenSecret = tokenSecret
    }

    /// Derives a token from bytes that are not stored: random ones, or a request with its nonce, so that its repetition
    /// gets an equal answer.
    func token(_ kind: Token.Kind, of bytes: [UInt8]) -> Token {
        let key = SymmetricKey(data: tokenSecret)
        return Token(kind) { round in
            Array(
                HMAC<SHA256>.authenticationCode(for: Array("token \(kind.rawValue)".utf8) + bytes + [round], using: key)
            )
        }
    }

    /// Reads the member's current state from the store.
    ///
    /// - Throws: ``ErrorCode/revoked``, or ``ErrorCode/forbidden`` if the role is less than `role`.
    func member(
        _ member: Principal, atLeast role: Role, to action: String, in snapshot: any StoreSnapshot
    ) throws -> StoredReplica {
        guard let replica = try snapshot.replica(member.replica, in: member.scope), !replica.isRevoked else {
            throw ProtocolError(
                .revoked, "Cannot \(action): this device's access was taken away. Ask an owner for a new invite.")
        }
        guard replica.role >= role else {
            throw Self.forbidden(replica.role, atLeast: role, to: action)
        }
        return replica
    }

    static func forbidden(_ role: Role, atLeast least: Role, to action: String) -> ProtocolError {
        ProtocolError(
            .forbidden,
            "Cannot \(action): this device is \(role.withArticle), it must be \(least.withArticle). Ask an owner.")
    }

    func scope(_ key: ScopeKey, _ snapshot: any StoreSnapshot) throws -> StoredScope {
        guard let scope = try snapshot.scope(key) else { throw StoreError.damaged("a replica has no scope") }
        return scope
    }

    /// Adds a replica, and stores the answer whose reply is its registration.
    ///
    /// - Parameters:
    ///   - device: The first replica of the device; `nil` for a new device.
    ///   - inviter: The device whose invite was redeemed.
    func register(
        _ name: String, role: Role, in scope: ScopeKey, answering request: NonceRequest, device: ReplicaID? = nil,
        inviter: ReplicaID? = nil, _ transaction: any StoreTransaction, now: UInt64
    ) throws -> (replica: ReplicaID, token: Token) {
        let hour = now - now % 3_600_000
        let replica = StoredReplica(
            id: ReplicaID(rawValue: random.number() | 1), scope: scope, name: name, role: role, created: now,
            lastSeen: hour, device: device, inviter: inviter)
        let token = token(.device, of: request.text(answeredAt: now))
        try transaction.insert(replica)
        try transaction.put(StoredToken(hash: token.hash, scope: scope, replica: replica.id))
        try transaction.removeAnswers(before: now - min(now, Self.answerMilliseconds))
        try transaction.put(StoredAnswer(key: request.key, scope: scope, replica: replica.id, created: now))
        return (replica.id, token)
    }

    /// Makes the registration of an existing replica.
    func registration(
        of id: ReplicaID, in key: ScopeKey, token: Token, _ snapshot: any StoreSnapshot, now: UInt64
    ) throws -> Registration {
        let scope = try scope(key, snapshot)
        guard let replica = try snapshot.replica(id, in: key), let schema = try snapshot.schema(of: key) else {
            throw StoreError.damaged("a registration has no replica")
        }
        return Registration(
            scope: scope.id, scopeName: scope.name, replica: id, token: token.text, role: replica.role, schema: schema,
            serverTime: now)
    }

    /// Returns the registration of an earlier identical request, if that is recent.
    func repeated(
        _ request: NonceRequest, _ snapshot: any StoreSnapshot, now: UInt64
    ) throws -> Registration? {
        guard let answer = try snapshot.answer(request.key), answer.created + Self.answerMilliseconds > now else {
            return nil
        }
        // Servers before decision 211 derive the token without the time.
        for bytes in [request.text(answeredAt: answer.created), request.text] {
            let token = token(.device, of: bytes)
            // With a changed secret, the token would be invalid.
            guard try snapshot.token(token.hash)?.replica == answer.replica else { continue }
            return try registration(of: answer.replica, in: answer.scope, token: token, snapshot, now: now)
        }
        return nil
    }

    /// Checks a name.
    ///
    /// - Throws: ``ErrorCode/badRequest`` for a name that is empty, too long, or has control characters.
    func check(name: String, of what: String) throws(ProtocolError) {
        // The limit of bytes comes first: the next checks take long for a long run of combining marks, and later code does
        // not compare such a name.
        guard name.utf8.count <= limits.nameCharactersMax * 16, (1...limits.nameCharactersMax).contains(name.count),
            !name.allSatisfy(\.isWhitespace),
            !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else {
            throw ProtocolError(
                .badRequest,
                "Cannot name the \(what) so: a name has 1 to \(limits.nameCharactersMax) characters, no control characters. "
                    + "Choose another.")
        }
    }

    /// A request that gets an equal answer when it is repeated, identified by its content and nonce.
    struct NonceRequest {
        /// The content and nonce, which are not stored.
        let text: [UInt8]
        /// The key of the answer in the store.
        let key: [UInt8]

        init(_ request: String, _ about: String, nonce: String) {
            text = Array("\(request)\n\(about)\n\(nonce)".utf8)
            key = SHA256Digest.of(text)
        }

        /// Returns the bytes from which the answer's token is derived. They contain the time: once the answer is deleted,
        /// an equal request is a new request.
        func text(answeredAt time: UInt64) -> [UInt8] { text + Array("\n\(time)".utf8) }
    }

    func check(nonce: String) throws(ProtocolError) {
        guard (8...64).contains(nonce.utf8.count) else {
            throw ProtocolError(
                .badRequest,
                "Cannot accept the nonce: it has \(nonce.utf8.count) bytes, expected 8 to 64 random characters.")
        }
    }
}

extension Role {
    /// The role with its article, for messages.
    var withArticle: String { self == .viewer ? "a viewer" : "an \(rawValue)" }
}
