import Logging
import MemoryStore
import RoostModel
import RoostProtocol
import RoostService
import ServerHTTP

/// A server on a loopback port with one scope, and the registration of the scope's owner.
struct TestServer: Sendable {
    static let schema = """
        {"format": 1, "name": "notes", "version": 1, "entities": [
          {"id": 1, "name": "Note", "attributes": [{"id": 1, "name": "title", "type": "string"}]}]}
        """
    static let adminToken = Token(.admin) { _ in [UInt8](repeating: 9, count: 32) }

    let port: Int
    let service: SyncService
    let owner: Registration

    /// Runs `body` against a server, and stops the server.
    static func run(
        limits change: (inout Limits) -> Void = { $0.requestsPerSecond = 0 },
        settings adapt: (inout HTTPSettings) -> Void = { _ in },
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, schema: String = schema,
        _ body: (TestServer) async throws -> Void
    ) async throws {
        var settings = HTTPSettings(adminToken: adminToken.hash)
        settings.port = 0
        change(&settings.limits)
        adapt(&settings)
        let service = try SyncService(
            MemoryStore(), limits: settings.limits, commits: .thread, now: { Self.milliseconds() },
            random: SystemRandomNumberGenerator())
        let owner = try await service.createScope(name: "Lisbon", device: "Ana", schema: schema, nonce: "test-nonce")
        let server = SyncServer(service, settings, logger: logger)
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        let running = Task { try await server.run(stoppingOnSignals: false) { continuation.yield($0) } }
        var iterator = ports.makeAsyncIterator()
        let port = await iterator.next() ?? 0
        do {
            try await body(TestServer(port: port, service: service, owner: owner))
        } catch {
            running.cancel()
            throw error
        }
        running.cancel()
        _ = try? await running.value
        service.stop()
    }

    static func milliseconds() -> UInt64 {
        let now = ContinuousClock.now - start.instant
        return start.milliseconds + UInt64(now.components.seconds) * 1000
            + UInt64(now.components.attoseconds / 1_000_000_000_000_000)
    }

    private static let start = (instant: ContinuousClock.now, milliseconds: UInt64(1_700_000_000_000))

    // MARK: Requests

    /// Returns a request's bytes. A body gets a `Content-Length` unless `fields` has one.
    static func request(
        _ method: String, _ path: String, token: String? = nil, fields: [String] = [], body: [UInt8] = []
    ) -> [UInt8] {
        var lines = ["\(method) \(path) HTTP/1.1", "Host: localhost"] + fields
        if let token { lines.append("Authorization: Bearer \(token)") }
        let names = fields.map { $0.lowercased() }
        if !body.isEmpty,
            !names.contains(where: { $0.hasPrefix("content-length") || $0.hasPrefix("transfer-encoding") })
        {
            lines.append("Content-Length: \(body.count)")
        }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }

    /// Sends one request on a separate connection.
    func call(
        _ method: String, _ path: String, token: String? = nil, fields: [String] = [], body: [UInt8] = []
    ) async throws -> RawConnection.Reply? {
        try await raw(Self.request(method, path, token: token ?? owner.token, fields: fields, body: body))
    }

    /// Posts a JSON body.
    func post(_ path: String, token: String? = nil, _ body: JSONValue) async throws -> RawConnection.Reply? {
        try await call("POST", path, token: token, fields: ["Content-Type: application/json"], body: body.encoded)
    }

    /// Sends bytes unchanged, and reads one reply.
    func raw(_ bytes: [UInt8], seconds: Int = 30) async throws -> RawConnection.Reply? {
        try await offTasks { [port] in
            let connection = try RawConnection(port: port, seconds: seconds)
            connection.send(bytes)
            return connection.receive(hasBody: !bytes.starts(with: "HEAD ".utf8))
        }
    }

    static func key(_ number: UInt64) -> RecordKey {
        RecordKey(entity: EntityID(1), id: RecordID(high: 1, low: number))
    }

    /// Returns a push of one note.
    func push(_ number: UInt64, record: UInt64 = 1, title: String = "Lunch") -> PushRequest {
        let put = Put(content: ContentCoding.encode([.init(property: PropertyID(1), value: .string(title))])).encoded()
        let stamp = HybridTimestamp(milliseconds: service.now, counter: UInt16(number), replica: owner.replica)
        let key = RecordKey(entity: EntityID(1), id: RecordID(high: 1, low: record))
        return PushRequest(
            number: number, checkpoint: nil,
            transactions: [.init(changes: [Change(key: key, stamp: stamp, kind: .put(put, base: nil))])])
    }

    /// Returns whether the server still answers.
    func isHealthy() async throws -> Bool {
        try await call("GET", "/v1/health")?.status == 200
    }
}

extension RawConnection.Reply {
    /// The body as JSON.
    var json: JSONValue { (try? JSONParser.parse(body)) ?? .null }
    /// The code of the error, if any.
    var code: String? { json["error"]?["code"]?.stringValue }
}
