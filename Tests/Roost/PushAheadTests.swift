import Replica
import Roost
import RoostCompression
import RoostModel
import RoostProtocol
import Session
import TestLoopback
import Testing
import Transport

/// A push that takes long to seal is begun before it is sealed.
@Suite struct PushAheadTests {
    private static let checkpoint: [UInt8] = [7, 7]
    private static let page = PullReply(
        records: [], checkpoint: Checkpoint(bytes: checkpoint), hasMore: false, digest: nil, schemaVersion: 1,
        serverTime: 0)

    private static func send(_ body: [UInt8], _ connection: LoopbackConnection) {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
        connection.send(body)
    }

    /// A device that has pulled once and whose pushes are stored, and how its pushes arrived.
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
        // A last request, so that there is an end.
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

    @Test(.timeLimit(.minutes(1))) func fewChangesAreSealedFirst() async throws {
        #expect(try await pushes(of: 400).map(\.isInChunks) == [false])
    }

    /// What was begun for another order, or ended before, leaves the order to be sent.
    @Test(.timeLimit(.minutes(1))) func beginningOfSomethingElseIsGivenUp() async throws {
        let server = try LoopbackServer(answering: "")
        defer { server.close() }
        let scripted = try ScriptedServer()
        _ = scripted.answer(try #require(try scripted.start()), .pull(Self.page))
        try scripted.plain(
            """
            with recursive n(i) as (select 1 union all select i + 1 from n where i < 600)
            insert into person(name) select 'person ' || i from n
            """)
        var driver = SyncDriver(scripted.replica, .once(attemptsMax: 1), seed: 1, wallClock: { 0 })
        let opening = try #require(try driver.look())
        #expect(opening.since == Self.checkpoint && opening.token == "old token")
        let transport = try HTTPTransport(to: ServerAddress("http://127.0.0.1:\(server.port)"))
        let (ahead, lapsed) = (PushAhead(opening, transport), PushAhead(opening, transport, patience: .zero))
        while server.connectionCount == 0 { try await Task.sleep(for: .milliseconds(1)) }
        // Between the look and the start, another session of this file was given a new token.
        try scripted.replica.setToken("new-token")
        var renewed = SyncDriver(scripted.replica, .once(attemptsMax: 1), seed: 2, wallClock: { 0 })
        let order = try #require(try renewed.start(at: Moment(milliseconds: 0)))
        #expect(order.request.pushed != nil)
        #expect(ahead.send(order) == nil)
        let same = try #require(try driver.start(at: Moment(milliseconds: 0)))
        #expect(same.request.pushed != nil && same.token == opening.token)
        #expect(lapsed.send(same) == nil)
        _ = try await transport.send(HTTPRequest(.get, "/later"))
        #expect(await server.arrivals.first { _ in true }?.line == "GET /later HTTP/1.1")
        await transport.shutdown()
    }
}
