internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import RoostCompression
internal import RoostModel
internal import RoostProtocol
internal import RoostService
internal import Synchronization

/// A responder that answers each request of the protocol: route, access, limits, errors.
struct SyncResponder: Sendable {
    let service: SyncService
    let settings: HTTPSettings
    let rates: RateLimits
    let registry: ConnectionRegistry
    let logger: Logger
    let budget: ByteBudget
    let largeBodies = LargeBodyExecutor()
    private let requests = RequestCounter()
    private let date = ReplyDate()

    init(
        _ service: SyncService, _ settings: HTTPSettings, _ rates: RateLimits, _ registry: ConnectionRegistry,
        _ logger: Logger
    ) {
        self.service = service
        self.settings = settings
        self.rates = rates
        self.registry = registry
        self.logger = logger
        budget = ByteBudget(total: settings.bytesInFlightMax)
    }

    func respond(to request: Request) async -> Response {
        var response = await response(to: request)
        response.headers.add(name: "Date", value: date.text(at: service.now))
        response.headers.add(name: "Roost-Server", value: service.identity)
        return response
    }

    private func response(to request: Request) async -> Response {
        let input = RequestInput(request: request, limits: settings.limits, budget: budget, rates: rates)
        do {
            guard request["Host"]?.isEmpty == false else {
                throw ProtocolError(.badRequest, "Cannot read the request: it has no Host, or several.")
            }
            guard request.head.hasKnownExpectation else {
                throw ProtocolError(
                    .badRequest,
                    "Cannot read the request: it expects something else than \"100-continue\". Leave Expect out.")
            }
            let route = try Route(request.head.method, path: request.target.path)
            let response = try await answer(route, input)
            logger.debug("request answered", metadata: metadata(request, response.status))
            return response
        } catch  where error is CancellationError || error as? ChannelError == .inputClosed {
            // The client disconnected while its pull waited, or in the middle of its body: no one reads the reply.
            return Response(.custom(code: 499, reasonPhrase: "Client Closed Request"))
        } catch {
            // An address has few connections, and the delay of each reply costs the server next to nothing. When the server
            // stops, the delay ends, and the reply is sent at once.
            if error is AddressBlocked { try? await Task.sleep(for: .milliseconds(settings.blockedMilliseconds)) }
            return refuse(error, request)
        }
    }

    // MARK: Access

    /// Checks that the address of a request without a token is not blocked after too many refused requests.
    ///
    /// - Throws: ``AddressBlocked``, before any of the body is read.
    func checkAddress(_ input: RequestInput) throws(AddressBlocked) {
        do { try rates.check(address(input.request), now: service.now) } catch { throw AddressBlocked(refusal: error) }
    }

    /// Counts a request without a valid token.
    ///
    /// - Throws: ``AddressBlocked`` once its address has sent too many.
    func recordFailure(_ input: RequestInput) throws(AddressBlocked) {
        do { try rates.failure(from: address(input.request), now: service.now) } catch {
            throw AddressBlocked(refusal: error)
        }
    }

    /// Looks up the member of the request's token.
    func member(_ input: RequestInput) async throws -> (principal: Principal, token: Token) {
        let now = service.now
        do {
            let token = try bearer(input.request, .device)
            let principal = try await service.member(token)
            try rates.request(by: principal.replica, now: now)
            return (principal, token)
        } catch let error as ProtocolError where error.code == .unauthorized {
            try recordFailure(input)
            throw error
        }
    }

    /// Checks that the request has the admin token.
    func checkAdmin(_ input: RequestInput) throws {
        guard let token = try? bearer(input.request, .admin), token.hash == settings.adminToken else {
            try recordFailure(input)
            throw ProtocolError(
                .unauthorized,
                "Cannot make a scope: that takes the admin token, from the file admin-token of the server's "
                    + "data folder. Send it as \"Authorization: Bearer\".")
        }
    }

    /// Returns the address of the request: the last one that a trusted proxy names, or the connection's other end.
    func address(_ request: Request) -> String {
        let peer = ConnectionTable.shortest(request.channel.remoteAddress?.ipAddress ?? "local")
        return settings.client(of: peer, forwardedFor: request["X-Forwarded-For"])
    }

    private func bearer(_ request: Request, _ kind: Token.Kind) throws(ProtocolError) -> Token {
        let fields = request.head.headers["Authorization"]
        guard fields.count == 1, fields[0].utf8.starts(with: "Bearer ".utf8),
            let token = Token(String(fields[0].inASCII.dropFirst(7))),
            token.kind == kind
        else { throw AccessHandler.unauthorized }
        return token
    }

    // MARK: Replies

    /// Makes a reply with the server's time, from which a client learns the offset of its own clock (protocol.md §6.4).
    func timed(_ object: JSONValue, status: HTTPResponseStatus = .ok, accepting: ContentEncoding = .identity)
        -> Response
    {
        let time = JSONValue.Member("serverTime", .integer(service.now))
        return reply(JSONValue.object((object.members ?? []) + [time]).encoded, .json, accepting, status: status)
    }

    func timed(
        _ members: (String, JSONValue?)..., status: HTTPResponseStatus = .ok, accepting: ContentEncoding = .identity
    ) -> Response {
        let members = members.compactMap { name, value in value.map { JSONValue.Member(name, $0) } }
        return timed(.object(members), status: status, accepting: accepting)
    }

    func json(_ value: JSONValue, status: HTTPResponseStatus = .ok) -> Response {
        reply(value.encoded, .json, .identity, status: status)
    }

    /// Makes a reply to a device. A large one takes a share of the server's memory until it is sent.
    ///
    /// - Throws: ``ErrorCode/tooManyRequests`` if there is no memory for it now.
    func reply(
        _ body: [UInt8], _ type: MediaType, _ accepted: ContentEncoding, to member: Principal
    ) throws(ProtocolError) -> Response {
        let share = try budget.share(of: body.count, for: .init(member))
        var response = reply(body, type, accepted)
        if let share {
            // The compressed body takes fewer bytes, which is always granted.
            try share.resize(to: response.body.readableBytes)
            response.share = share
        }
        return response
    }

    /// Makes a reply of a page. A large one in JSON is made while it is sent.
    func reply(
        _ page: PullHandler.Page, _ type: MediaType, _ accepted: ContentEncoding, to member: Principal
    ) throws -> Response {
        rates.bytes(page.protobuf.count * (type == .json ? 2 : 1), by: member.replica)
        guard type == .json, service.isLarge(page) else {
            return try reply(service.encoded(page, as: type, for: member), type, accepted, to: member)
        }
        var response = Response(.ok, headers: ["Content-Type": type.rawValue, "Cache-Control": "no-store"])
        response.share = try budget.share(of: page.protobuf.count, for: .init(member))
        response.pieces = .init(page: try service.pieces(of: page, for: member)) { [service] count in
            service.reportUnreadable(count, for: member)
        }
        return response
    }

    /// Makes a reply of one body, compressed if it is long enough.
    func reply(
        _ body: [UInt8], _ type: MediaType, _ accepted: ContentEncoding, status: HTTPResponseStatus = .ok
    ) -> Response {
        var headers: HTTPHeaders = ["Content-Type": type.rawValue, "Cache-Control": "no-store"]
        var bytes = body
        if body.count > settings.compressedFromBytes, accepted != .identity,
            let compressed = accepted == .zstd ? try? Compression.zstd(body) : try? Compression.gzip(body)
        {
            bytes = compressed
            headers.add(name: "Content-Encoding", value: accepted.rawValue)
        }
        return Response(status, headers: headers, body: bytes)
    }

    private func refuse(_ error: any Error, _ request: Request) -> Response {
        let blocked = error as? AddressBlocked
        var refusal = blocked?.refusal ?? ProtocolError(reporting: error)
        let id = requests.next()
        refusal.requestID = id
        refusal.serverTime = service.now
        let status = refusal.code.status
        var metadata = metadata(request, status)
        metadata["requestID"] = "\(id)"
        metadata["code"] = "\(refusal.code)"
        if status.code >= 500 {
            metadata["error"] = "\(LogText.escaped(String(describing: error)))"
            logger.error("request failed", metadata: metadata)
        } else {
            // Frequent refusals must not fill the disk with log lines.
            logger.log(level: status == .tooManyRequests ? .debug : .info, "request refused", metadata: metadata)
        }
        var response = json(refusal.json, status: status)
        if let seconds = refusal.retryAfter { response.headers.add(name: "Retry-After", value: String(seconds)) }
        if status == .methodNotAllowed, let allowed = Route.methods(of: request.target.path) {
            response.headers.add(name: "Allow", value: allowed)
        }
        if status == .unauthorized { response.headers.add(name: "WWW-Authenticate", value: "Bearer") }
        // The unread rest of the body must not be parsed as the next request.
        if status == .payloadTooLarge || status == .unsupportedMediaType || blocked != nil {
            response.headers.add(name: "Connection", value: "close")
        }
        return response
    }

    private func metadata(_ request: Request, _ status: HTTPResponseStatus) -> Logger.Metadata {
        [
            "method": "\(LogText.escaped(request.head.method.rawValue))",
            "path": "\(LogText.escaped(request.target.path))",
            "status": "\(status.code)",
        ]
    }
}

/// A refusal of a request because of earlier requests of its address. The connection is closed after it.
struct AddressBlocked: Error {
    let refusal: ProtocolError
}

/// A counter that numbers the reported requests, from a random start.
final class RequestCounter: Sendable {
    private let last = Atomic<UInt64>(UInt64.random(in: 0..<1 << 62))

    func next() -> String {
        Hex.encode(RecordID(high: 0, low: last.wrappingAdd(1, ordering: .relaxed).newValue).bytes.suffix(8))
    }
}
