internal import Foundation
internal import RoostCompression
package import RoostModel
package import RoostProtocol
package import Transport

/// The requests of the protocol, one method each.
package struct ServerClient: Sendable {
    package let transport: HTTPTransport
    /// The device token, or an admin token; `nil` for requests that need none.
    package var token: String?
    /// The identity of the server that has answered, shared by all clients of one session.
    package let server = ServerSeen()

    /// Size from which bodies are compressed. Compressing smaller ones saves nothing.
    private static let compressedBytesMin = 512
    /// Half of the ratio that a server accepts (protocol.md §10).
    private static let compressionRatioMax = 50
    /// Allows pages with nothing but identifiers of purged records (protocol.md §7.1). Servers that do not know it ignore it.
    private static let takesIdentifiersAlone = "identifiers=1"
    /// Time that a long poll may take beyond the requested seconds.
    private static let waitMargin = 20
    /// Time-out of a push. One that takes longer is resent in smaller parts.
    private static let pushTimeout = Duration.seconds(60)

    package init(_ transport: HTTPTransport, token: String?) {
        self.transport = transport
        self.token = token
    }

    // MARK: Records

    /// Sends the bytes of a sealed push.
    nonisolated(nonsending) package func push(_ body: [UInt8]) async throws(ServerFailure) -> PushReply {
        try await push(body, "/v1/push")
    }

    /// Sends the bytes of a sealed push, and pulls with the reply.
    nonisolated(nonsending) package func pushAndPull(_ body: [UInt8], since checkpoint: [UInt8]?)
        async throws(ServerFailure) -> PushReply
    {
        try await push(body, Self.pathOfPushAndPull(since: checkpoint))
    }

    /// Opens a request that pushes and pulls, before the push is sealed. `body` later receives its bytes, as ``compressed(_:)`` makes
    /// them.
    nonisolated(nonsending) func pushAndPull(awaiting body: PendingBody, since checkpoint: [UInt8]?)
        async throws(ServerFailure) -> PushReply
    {
        var request = request(.post, Self.pathOfPushAndPull(since: checkpoint))
        request.headers.append("Roost-Time", Self.deviceTime)
        request.headers.append("Accept", MediaType.protobuf.rawValue)
        request.headers.append("Content-Type", MediaType.protobuf.rawValue)
        request.headers.append("Content-Encoding", "zstd")
        request.timeout = Self.pushTimeout
        return try await message(request, awaiting: body)
    }

    /// Asks for the reply that the server has stored to this replica's last push.
    ///
    /// - Parameter hash: The SHA-256 of the push's body.
    /// - Returns: `nil` where the server has not stored a push of this number.
    /// - Throws: ``ServerFailure`` with `replica_forked` where the server has stored another push under this number, or a later one.
    nonisolated(nonsending) package func reply(
        toPush number: UInt64, hash: [UInt8]
    ) async throws(ServerFailure) -> PushReply? {
        var request = request(.get, "/v1/push?number=\(number)&hash=\(Hex.encode(hash))")
        request.headers.append("Accept", MediaType.protobuf.rawValue)
        let response = try await send(request)
        return response.status == 204 ? nil : try decoded(response)
    }

    private static func pathOfPushAndPull(since checkpoint: [UInt8]?) -> String {
        "/v1/push?since=\(Hex.encode(checkpoint ?? []))&\(takesIdentifiersAlone)"
    }

    nonisolated(nonsending) private func push(_ body: [UInt8], _ path: String) async throws(ServerFailure) -> PushReply
    {
        var request = request(.post, path)
        request.headers.append("Roost-Time", Self.deviceTime)
        request.headers.append("Accept", MediaType.protobuf.rawValue)
        request.timeout = Self.pushTimeout
        setBody(body, of: &request)
        return try await message(request)
    }

    /// This machine's clock in milliseconds since 1970, by which a server may confirm its own (protocol.md §6.4).
    private static var deviceTime: String { "\(UInt64(max(0, Date().timeIntervalSince1970 * 1000)))" }

    nonisolated(nonsending) package func pull(since checkpoint: [UInt8]?, waitSeconds: Int) async throws(ServerFailure)
        -> PullReply
    {
        var query = [Self.takesIdentifiersAlone]
        if let checkpoint { query.append("since=\(Hex.encode(checkpoint))") }
        if waitSeconds > 0 { query.append("wait=\(waitSeconds)") }
        var request = request(.get, "/v1/pull?\(query.joined(separator: "&"))")
        request.headers.append("Accept", MediaType.protobuf.rawValue)
        if waitSeconds > 0 {
            request.timeout = .seconds(waitSeconds + Self.waitMargin)
            request.answer = .held
        }
        return try await message(request)
    }

    /// Pulls the page after a checkpoint that the replica has not stored yet.
    nonisolated(nonsending) package func pull(ahead checkpoint: [UInt8]) async throws(ServerFailure) -> PullReply {
        var request = request(.get, "/v1/pull?since=\(Hex.encode(checkpoint))&ahead=1&\(Self.takesIdentifiersAlone)")
        request.headers.append("Accept", MediaType.protobuf.rawValue)
        return try await message(request)
    }

    /// Sends the server records that it has lost.
    nonisolated(nonsending) package func recover(_ records: [RecordState]) async throws(ServerFailure) -> RecoverReply {
        var request = request(.post, "/v1/recover")
        request.headers.append("Accept", MediaType.protobuf.rawValue)
        setBody(RecoverRequest(records: records).protobuf(), of: &request)
        return try await message(request)
    }

    /// Sets a body of records, compressed where that saves something and the server accepts the ratio.
    private func setBody(_ body: [UInt8], of request: inout HTTPRequest) {
        request.headers.append("Content-Type", MediaType.protobuf.rawValue)
        request.body = body
        guard let compressed = Self.compressed(body) else { return }
        request.headers.append("Content-Encoding", "zstd")
        request.body = compressed
    }

    /// Compresses a body; `nil` where it is sent uncompressed.
    static func compressed(_ body: [UInt8]) -> [UInt8]? {
        guard body.count >= Self.compressedBytesMin, let compressed = try? Compression.zstd(body),
            body.count < compressed.count * Self.compressionRatioMax
        else { return nil }
        return compressed
    }

    nonisolated(nonsending) private func message<Reply: Message>(
        _ request: HTTPRequest, awaiting body: PendingBody? = nil
    ) async throws(ServerFailure) -> Reply {
        try decoded(try await send(request, awaiting: body))
    }

    private func decoded<Reply: Message>(_ response: HTTPResponse) throws(ServerFailure) -> Reply {
        do {
            return try Reply(protobuf: response.body)
        } catch {
            throw .invalidReply("The server's answer is not the message expected: \(error.reason)")
        }
    }

    // MARK: Scopes and members

    /// - Parameter scope: The identifier of a scope whose server lost its data; `nil` for a new one.
    nonisolated(nonsending) package func createScope(
        name: String, device: String, schema: String, nonce: String, scope: ScopeID? = nil
    ) async throws(ServerFailure) -> Registration {
        let body = JSONValue.members(
            ("name", .string(name)), ("device", .string(device)), ("schema", .string(schema)),
            ("nonce", .string(nonce)), ("scope", scope.map { .string($0.description) }))
        return try decode(try await json(.post, "/v1/scopes", body)) { value throws(CodingError) in
            try Registration(json: value)
        }
    }

    /// - Parameter scope: The scope of a file that is attached again. The server refuses an invite to another scope.
    nonisolated(nonsending) package func join(
        invite: String, device: String, nonce: String, scope: ScopeID? = nil
    ) async throws(ServerFailure) -> Registration {
        let body = JSONValue.members(
            ("invite", .string(invite)), ("device", .string(device)), ("nonce", .string(nonce)),
            ("scope", scope.map { .string($0.description) }))
        return try decode(try await json(.post, "/v1/join", body)) { value throws(CodingError) in
            try Registration(json: value)
        }
    }

    /// Requests a new identity for this replica.
    nonisolated(nonsending) package func renew(reason: String, nonce: String) async throws(ServerFailure)
        -> Registration
    {
        let body = JSONValue.members(("reason", .string(reason)), ("nonce", .string(nonce)))
        return try decode(try await json(.post, "/v1/replica/renew", body)) { value throws(CodingError) in
            try Registration(json: value)
        }
    }

    nonisolated(nonsending) package func invite(role: String, hours: Int, uses: Int) async throws(ServerFailure)
        -> Invite
    {
        let body = JSONValue.members(("role", .string(role)), ("hours", .integer(hours)), ("uses", .integer(uses)))
        return try decode(try await json(.post, "/v1/invites", body)) { value throws(CodingError) in
            try Invite(json: value)
        }
    }

    nonisolated(nonsending) package func devices() async throws(ServerFailure) -> [Device] {
        let value = try await json(.get, "/v1/devices", nil)
        return try decode(value) { value throws(CodingError) in
            var devices: [Device] = []
            for item in value["devices"]?.arrayValue ?? value.arrayValue ?? [] {
                devices.append(try Device(json: item))
            }
            return devices
        }
    }

    /// The text of the scope's schema file.
    nonisolated(nonsending) package func schema() async throws(ServerFailure) -> String {
        try await json(.get, "/v1/schema", nil)["schema"]?.stringValue ?? ""
    }

    /// Puts a schema file in force.
    nonisolated(nonsending) package func publishSchema(_ text: String) async throws(ServerFailure) {
        _ = try await json(.put, "/v1/schema", .members(("schema", .string(text))))
    }

    nonisolated(nonsending) package func digest() async throws(ServerFailure) -> ScopeDigest? {
        try await json(.get, "/v1/digest", nil)["digest"]?.stringValue.flatMap { ScopeDigest($0) }
    }

    nonisolated(nonsending) func json(
        _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue?
    ) async throws(ServerFailure) -> JSONValue {
        var request = request(method, path)
        request.headers.append("Accept", MediaType.json.rawValue)
        if let body {
            request.headers.append("Content-Type", MediaType.json.rawValue)
            request.body = body.encoded
        }
        let response = try await send(request)
        do {
            return try JSONParser.parse(response.body)
        } catch {
            throw .invalidReply("The server's answer is not JSON: \(error)")
        }
    }

    func decode<Reply>(
        _ value: JSONValue, _ read: (JSONValue) throws(CodingError) -> Reply
    ) throws(ServerFailure) -> Reply {
        do {
            return try read(value)
        } catch {
            throw .invalidReply("The server's answer is not the one expected: \(error.reason)")
        }
    }

    // MARK: One request

    private func request(_ method: HTTPRequest.Method, _ path: String) -> HTTPRequest {
        var request = HTTPRequest(method, path)
        if let token { request.headers.append("Authorization", "Bearer \(token)") }
        return request
    }

    nonisolated(nonsending) private func send(
        _ request: HTTPRequest, awaiting body: PendingBody? = nil
    ) async throws(ServerFailure) -> HTTPResponse {
        let response: HTTPResponse
        let notice = body == nil ? WaitNotice(for: request, to: transport.server) : nil
        defer { notice?.end() }
        do {
            response =
                if let body {
                    try await transport.send(request, awaiting: body)
                } else {
                    try await transport.send(request)
                }
        } catch {
            throw .transport(error)
        }
        if let identity = response.headers["Roost-Server"] { server.note(identity) }
        if (200..<300).contains(response.status) { return response }
        if let value = try? JSONParser.parse(response.body), var error = try? ProtocolError(json: value) {
            // The code may be one of a later version (protocol.md §9).
            if response.status >= 500, !error.code.isKnown { error.code = .internalError }
            throw .refused(error)
        }
        throw .unexpectedStatus(response.status, bytes: body?.count ?? request.body.count)
    }
}

/// The failure of a request.
package enum ServerFailure: Error, Hashable, Sendable {
    case transport(TransportError)
    /// The server's own refusal.
    case refused(ProtocolError)
    /// The answer is not that of a Roost server.
    case invalidReply(String)
    /// The answer to a request with a body of `bytes` is not that of a Roost server: a proxy on the way has answered.
    case unexpectedStatus(Int, bytes: Int)

    /// Whether the server does not know the request.
    var isOfEarlierServer: Bool {
        guard case .refused(let error) = self else { return false }
        return [.methodNotAllowed, .notFound, .badRequest].contains(error.code)
    }

    /// The meaning of a status without an error of the protocol.
    static func words(ofStatus status: Int, bytes: Int) -> String {
        guard status == 413 else {
            return "The server answered with status \(status) and no error of the protocol. "
                + "Check the address; a proxy or a login page may stand between."
        }
        return "A proxy between here and the server refuses a request of \(bytes) bytes (status 413). "
            + "Raise its limit, such as client_max_body_size of nginx."
    }

    func error(_ action: String) -> RoostError {
        switch self {
        case .transport(let error): RoostError(error, action)
        case .refused(let error): RoostError(error, action)
        case .invalidReply(let message): RoostError(.incompatible, "Cannot \(action): \(message)")
        case .unexpectedStatus(let status, let bytes):
            RoostError(.incompatible, "Cannot \(action): \(Self.words(ofStatus: status, bytes: bytes))")
        }
    }
}
