import Replica
import Roost
import RoostCompression
import RoostModel
import RoostProtocol
import Session
import TestLoopback
import Testing
import Transport

/// The connection of a push that takes long to seal is opened meanwhile.
@Suite struct PreconnectedPushTests {
    private static let checkpoint: [UInt8] = [7, 7]
    private static let page = PullReply(
        records: [], checkpoint: Checkpoint(bytes: checkpoint), hasMore: false, digest: nil, schemaVersion: 1,
        serverTime: 0)

    private static func send(_ body: [UInt8], _ connection: LoopbackConnection) {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
        connection.send(body)
    }

    /// Runs a device that has pulled once and whose pushes are stored.
    ///
    /// - Returns: The pushes as they arrived.
    private func pushes(of count: Int) async throws -> [(isInChunks: Bool, line: String, push: PushRequest)] {
        let server = try LoopbackServer { request, connection in
            guard request.line.hasPrefix("POST") else {
                let isPull = request.line.contains("/v1/pull")
                Self.send(isPull ? Self.page.protobuf() : Array(#"{"devices":[]}"#.utf8), connection)
                return .keep
            }
            guard let push = try? Self.decoded(request) else { return .close }
            let results = push.transactions.indices.map {
                PushReply.Result.accepted(sequence: UInt64($0) + 1, outcomes: [])
            }
            Self.send(
                PushReply(number: push.number, results: results, current: [], serverTime: 0, page: nil).protobuf(),
                connection)
            return .keep
        }
        defer { server.close() }
        let device = try JoinedDevice(.once(attemptsMax: 1), port: server.port)
        let first = await device.synchronizer.run()
        #expect(first.isUpToDate, "\(first)")
        try device.write((0..<count).map { "person \($0)" })
        let transport = try HTTPTransport(to: ServerAddress("http://127.0.0.1:\(server.port)"))
        let report = await Synchronizer(
            device.replica, ServerClient(transport, token: "token"), .once(attemptsMax: 1)
        ).run()
        await transport.shutdown()
        await device.shutdown()
        #expect(report.pushed == count, "\(report)")
        // The last request ends the sequence of arrivals.
        let last = try HTTPTransport(to: ServerAddress("http://127.0.0.1:\(server.port)"))
        _ = try await last.send(HTTPRequest(.get, "/last"))
        await last.shutdown()
        var pushes: [(Bool, String, PushRequest)] = []
        for await request in server.arrivals {
            if request.line.contains("/last") { break }
            guard request.line.hasPrefix("POST") else { continue }
            let isInChunks = request.fields.contains("transfer-encoding: chunked")
            pushes.append((isInChunks, request.line, try Self.decoded(request)))
        }
        return pushes
    }

    private static func decoded(_ request: ReceivedRequest) throws -> PushRequest {
        guard request.fields.contains("content-encoding: zstd") else { return try PushRequest(protobuf: request.body) }
        return try PushRequest(
            protobuf: Compression.decompress(request.body, encoding: .zstd, bytesMax: 1 << 22, ratioMax: 100))
    }

    @Test(.timeLimit(.minutes(1))) func manyChangesGoInARequestThatIsUnderWay() async throws {
        let pushes = try await pushes(of: 600)
        #expect(pushes.map(\.isInChunks) == [true])
        #expect(pushes.first?.line == "POST /v1/push?since=0707&identifiers=1 HTTP/1.1")
        #expect(pushes.first?.push.transactions.reduce(0) { $0 + $1.changes.count } == 600)
    }

    /// A proxy that gives up may have passed the push on, so the device asks for the stored reply.
    @Test(.timeLimit(.minutes(1))) func proxyThatGivesUpHasInterruptedThePush() async throws {
        let server = try LoopbackServer { request, connection in
            if request.line.hasPrefix("POST") {
                connection.send("HTTP/1.1 504 Gateway Timeout\r\nContent-Length: 0\r\n\r\n")
                return .keep
            }
            if request.line.contains("/v1/push") { return .close }
            let isPull = request.line.contains("/v1/pull")
            Self.send(isPull ? Self.page.protobuf() : Array(#"{"devices":[]}"#.utf8), connection)
            return .keep
        }
        defer { server.close() }
        let device = try JoinedDevice(.once(attemptsMax: 1), port: server.port)
        _ = await device.synchronizer.run()
        try device.write((0..<600).map { "person \($0)" })
        let transport = try HTTPTransport(to: ServerAddress("http://127.0.0.1:\(server.port)"))
        _ = await Synchronizer(device.replica, ServerClient(transport, token: "token"), .once(attemptsMax: 1)).run()
        _ = try await transport.send(HTTPRequest(.get, "/last"))
        await transport.shutdown()
        await device.shutdown()
        var lines: [String] = []
        for await request in server.arrivals {
            if request.line.contains("/last") { break }
            lines.append(request.line)
        }
        #expect(lines.contains { $0.hasPrefix("GET /v1/push?number=1&hash=") }, "\(lines)")
    }

    @Test(.timeLimit(.minutes(1))) func fewChangesAreSealedFirst() async throws {
        #expect(try await pushes(of: 400).map(\.isInChunks) == [false])
    }

    /// A request whose time is over takes no push.
    @Test(.timeLimit(.minutes(1))) func requestThatIsOverTakesNoPush() async throws {
        let server = try LoopbackServer(answering: "")
        defer { server.close() }
        let transport = try HTTPTransport(to: ServerAddress("http://127.0.0.1:\(server.port)"))
        let client = ServerClient(transport, token: nil)
        let lapsed = PreconnectedPush(since: nil, token: "token", client, patience: .zero)
        let ended = PreconnectedPush(since: nil, token: "token", client)
        while server.connectionCount < 2 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(lapsed.send([1, 2, 3]) == nil)
        ended.cancel()
        _ = try await transport.send(HTTPRequest(.get, "/later"))
        #expect(ended.send([1, 2, 3]) == nil)
        #expect(await server.arrivals.first { _ in true }?.line == "GET /later HTTP/1.1")
        await transport.shutdown()
    }

    /// The driver makes the connection first, and then the push that uses it.
    @Test func connectionIsOrderedBeforeSealing() throws {
        let server = try ScriptedServer(manyChanges: 2)
        try server.write("Ana")
        try server.write("Bob")
        let connection = try #require(try server.beginStart())
        #expect(connection.request == .connect(since: nil))
        #expect(server.isUnfinished)
        #expect(try server.replica.select("select count(*) from roost_push") == [[.integer(0)]])
        let push = try #require(server.resume())
        let body = try #require(push.request.pushed)
        #expect(push.request == .pushAndPull(body, since: nil, isPreconnected: true))
        #expect(server.answer(push, try server.accepted(body, page: server.page("Eve"))) == nil)
        #expect(server.outcome == .upToDate)
    }

    @Test func fewChangesOpenNoConnection() throws {
        let server = try ScriptedServer(manyChanges: 3)
        try server.write("Ana")
        try server.write("Bob")
        #expect(try server.beginStart()?.request.pushed != nil)
        #expect(!server.isUnfinished)
    }
}
