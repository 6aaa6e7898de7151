import Replica
import Roost
import RoostModel
import RoostProtocol
import Session
import TestLoopback
import Testing
import Transport

/// The next page is requested before the page in hand is applied.
@Suite struct PrefetchTests {
    private let server: ScriptedServer
    private let first: SyncDriver.Order
    private let page: SyncDriver.Answer

    /// A device that pulls, and a page with more behind it.
    init() throws {
        server = try ScriptedServer(.continuous(waitSeconds: 50))
        first = try #require(try server.start())
        var page = server.page("Eve")
        page.hasMore = true
        self.page = .pull(page)
    }

    private var people: [[Value]] { get throws { try server.replica.select("select name from person") } }

    @Test func nextPageIsRequestedBeforeThePageIsApplied() throws {
        let next = try #require(server.beginAnswer(first, page))
        #expect(next.request == .pullAhead(since: [1, 2, 3]) && next.token == first.token && next.lane == .pull)
        #expect(server.isUnfinished)
        #expect(try people == [])
        #expect(server.resume() == nil)
        #expect(!server.isUnfinished)
        #expect(try people == [[.string("Eve")]])
        let poll = try #require(server.answer(next, server.page(digest: try server.replica.digest())))
        #expect(poll.request == .pull(since: [1, 2, 3], waitSeconds: 50))
    }

    @Test func nothingIsRequestedAfterTheLastPage() throws {
        let next = server.beginAnswer(first, server.page(digest: nil))
        #expect(!server.isUnfinished)
        #expect(next?.request == .pull(since: [1, 2, 3], waitSeconds: 50))
    }

    /// The page was requested before the push: its digest does not include that.
    @Test func digestIsNotComparedAfterAPushInBetween() throws {
        let next = try #require(server.answer(first, page))
        try server.write("Ana")
        let push = try #require(server.localChange())
        _ = server.answer(push, try server.accepted(try #require(push.request.pushed)))
        let later = server.answer(next, server.page(digest: ScopeDigest()))
        #expect(later?.request == .pull(since: [1, 2, 3], waitSeconds: 0))
        #expect(try server.replica.checkpoint() == [1, 2, 3])
    }

    /// The page after a page that the file does not take would follow a checkpoint that the replica does not have.
    @Test func nextPageIsDiscardedWhereThePageIsNotApplied() throws {
        try server.plain("create unique index fault on roost_fact(entity)")
        let other = server.content("Ana")
        let records = (1...2 as ClosedRange<UInt64>).map { low in
            RecordState(
                key: RecordKey(entity: EntityID(1), id: RecordID(high: 7, low: low)),
                put: .init(
                    stamp: HybridTimestamp(time: low << 16, replica: ReplicaID(rawValue: 2)), base: nil,
                    encoded: Put(references: [], content: other).encoded()))
        }
        var failing = server.page("Eve")
        (failing.records, failing.hasMore) = (records, true)
        let next = try #require(server.answer(first, .pull(failing)))
        #expect(next.request == .pullAhead(since: [1, 2, 3]))
        #expect(!server.awaits(next))
        #expect(server.answer(next, page) == nil)
        try server.plain("drop index fault")
        server.now = try #require(server.deadline)
        #expect(server.timerFired()?.request == .pull(since: nil, waitSeconds: 0))
    }

    /// One request for each page, of which all but the first are sent ahead.
    @Test(.timeLimit(.minutes(1))) func requestsOfAPullOnTheWire() async throws {
        let server = try LoopbackServer { request, connection in
            var body = Array(#"{"devices":[]}"#.utf8)
            if request.line.contains("/v1/pull") {
                let number: UInt8 = request.line.contains("since=02") ? 3 : request.line.contains("since=01") ? 2 : 1
                body =
                    PullReply(
                        records: [], checkpoint: Checkpoint(bytes: [number]), hasMore: number < 3,
                        digest: number < 3 ? nil : ScopeDigest(), schemaVersion: 1, serverTime: 0
                    ).protobuf()
            }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
            connection.send(body)
            return .keep
        }
        defer { server.close() }
        let device = try JoinedDevice(.once(attemptsMax: 1), port: server.port)
        let report = await device.synchronizer.run()
        #expect(report.isUpToDate, "\(report)")
        #expect(try device.replica.checkpoint() == [3])
        await device.shutdown()
        // The last request ends the sequence of arrivals.
        let last = try HTTPTransport(to: ServerAddress("http://127.0.0.1:\(server.port)"))
        _ = try await last.send(HTTPRequest(.get, "/last"))
        await last.shutdown()
        var lines: [String] = []
        for await request in server.arrivals where !request.line.contains("/v1/devices") {
            if request.line.contains("/last") { break }
            lines.append(request.line)
        }
        #expect(
            lines == [
                "GET /v1/pull?identifiers=1 HTTP/1.1", "GET /v1/pull?since=01&ahead=1&identifiers=1 HTTP/1.1",
                "GET /v1/pull?since=02&ahead=1&identifiers=1 HTTP/1.1",
            ])
    }
}
