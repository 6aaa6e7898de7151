import Replica
import Roost
import RoostModel
import RoostProtocol
import Session
import Synchronization
import TestLoopback
import Testing

/// Servers that answer each pull with a page that announces more, over real connections.
@Suite struct EndlessPagesTests {
    /// Without a bound, none of these sessions ends.
    @Test(.timeLimit(.minutes(5)), arguments: [EndlessServer.Kind.empty, .repeating])
    func pagesThatBringNothingEndASession(_ kind: EndlessServer.Kind) async throws {
        let server = try EndlessServer(kind)
        defer { server.close() }
        let device = try JoinedDevice(.once(attemptsMax: 3), port: server.port)
        let report = await device.synchronizer.run()
        #expect(!report.isUpToDate && !report.isTemporary && report.state.contains("does not come to an end"))
        #expect(server.pageCount < 2010)
        #expect(try device.replica.select("SELECT count(*) FROM person")[0][0] == .integer(kind == .empty ? 0 : 1))
        await device.shutdown()
    }

    /// A daemon waits for minutes, which a local change does not shorten.
    @Test(.timeLimit(.minutes(5))) func aDaemonWaitsAfterPagesThatBringNothing() async throws {
        let server = try EndlessServer(.repeating)
        defer { server.close() }
        let device = try JoinedDevice(.continuous(waitSeconds: 50), port: server.port)
        let synchronizer = device.synchronizer
        let running = Task { await synchronizer.run() }
        var wait: Duration?
        for await state in device.states {
            guard case .waiting(let reason, let retryAt?, let since) = state, reason.kind == .refused else { continue }
            wait = since.duration(to: retryAt)
            break
        }
        #expect(try #require(wait) >= .seconds(600))
        await synchronizer.stop()
        _ = await running.value
        #expect(server.pageCount < 2010)
        await device.shutdown()
    }

    @Test(.timeLimit(.minutes(5))) func newRecordsWithoutEndFillNoDisk() async throws {
        let server = try EndlessServer(.growing)
        defer { server.close() }
        var bounds = SyncBounds()
        bounds.fileBytesMax = 8 << 20
        let device = try JoinedDevice(.once(attemptsMax: 3), port: server.port, bounds: bounds)
        let report = await device.synchronizer.run()
        #expect(!report.isUpToDate && !report.isTemporary)
        #expect(report.state.contains("the limit is 8 MiB") && report.state.contains("--file-limit"), "\(report.state)")
        #expect(try device.replica.bytesInUse() < 16 << 20)
        await device.shutdown()
    }

    /// Many pulls that each end are not endless.
    @Test(.timeLimit(.minutes(5))) func aFullFileTakesNoMorePages() async throws {
        let server = try EndlessServer(.growing, pagesPerPull: 4)
        defer { server.close() }
        var bounds = SyncBounds()
        bounds.fileBytesMax = 8 << 20
        let device = try JoinedDevice(.once(attemptsMax: 3), port: server.port, bounds: bounds)
        var report = SyncReport()
        var sessions = 0
        repeat {
            report = await device.session(bounds: bounds).run()
            sessions += 1
        } while report.isUpToDate && sessions < 50
        #expect(report.state.contains("the replica file has") && sessions > 1, "\(report.state)")
        let used = try device.replica.bytesInUse()
        #expect(used < 16 << 20)
        // Pending changes are still pushed, and a higher limit lets the pull continue.
        try device.write("Ana")
        bounds.fileBytesMax = 64 << 20
        #expect(await device.session(bounds: bounds).run().isUpToDate)
        #expect(try device.replica.bytesInUse() > used)
        await device.shutdown()
    }

    /// Later stamps make each page new. Only the maximum duration ends such a pull.
    @Test(.timeLimit(.minutes(5))) func newStampsWithoutEndTakeLimitedTime() async throws {
        let server = try EndlessServer(.moving)
        defer { server.close() }
        var bounds = SyncBounds()
        bounds.timeMax = .milliseconds(500)
        let device = try JoinedDevice(.once(attemptsMax: 3), port: server.port, bounds: bounds)
        let report = await device.synchronizer.run()
        #expect(!report.isUpToDate && report.isTemporary)
        let state = report.state
        #expect(state.contains("the server has sent") && state.contains("--time-limit"), "\(state)")
        #expect(try device.replica.select("SELECT count(*) FROM person")[0][0] == .integer(1))
        await device.shutdown()
    }

    @Test(.timeLimit(.minutes(5))) func aServerThatDripsTakesLimitedTime() async throws {
        let server = try LoopbackServer { _, connection in
            connection.trickle()
            return .close
        }
        defer { server.close() }
        var bounds = SyncBounds()
        bounds.timeMax = .milliseconds(500)
        let device = try JoinedDevice(.once(attemptsMax: 3), port: server.port, bounds: bounds)
        let report = await device.synchronizer.run()
        #expect(!report.isUpToDate && report.isTemporary && report.state.contains("--time-limit"), "\(report.state)")
        await device.shutdown()
    }
}

/// Answers each pull with a page whose checkpoint is one greater, and accepts each push.
final class EndlessServer: Sendable {
    enum Kind: Sendable {
        /// No record.
        case empty
        /// The record of the page before.
        case repeating
        /// The record of the page before with a later stamp.
        case moving
        /// A megabyte of new records.
        case growing
    }

    private let server: LoopbackServer
    private let pages: PageCounter

    var port: UInt16 { server.port }
    var pageCount: Int { pages.count }

    /// - Parameter pagesPerPull: The number of pages of a pull; `nil` for endless pages.
    init(_ kind: Kind, pagesPerPull: Int? = nil) throws {
        let pages = PageCounter()
        self.pages = pages
        server = try LoopbackServer { request, connection in
            guard request.line.contains("/v1/p") else {
                connection.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
                return .keep
            }
            let body: [UInt8]
            if request.line.contains("/v1/push") {
                guard let push = try? PushRequest(protobuf: request.body) else { return .close }
                let results = push.transactions.map { _ in PushReply.Result.accepted(sequence: 1, outcomes: []) }
                body = PushReply(number: push.number, results: results, serverTime: 0).protobuf()
            } else {
                let number = pages.next()
                body = Self.page(number, kind, hasMore: pagesPerPull.map { !number.isMultiple(of: $0) } ?? true)
            }
            // One packet: the second of two small packets would wait for the acknowledgement of the first.
            let fields = "Content-Type: application/x-protobuf\r\nContent-Length: \(body.count)\r\n\r\n"
            connection.send(Array("HTTP/1.1 200 OK\r\n\(fields)".utf8) + body)
            return .keep
        }
    }

    func close() { server.close() }

    private static func page(_ number: Int, _ kind: Kind, hasMore: Bool) -> [UInt8] {
        let records =
            switch kind {
            case .empty: [RecordState]()
            case .repeating: [record(1, time: 1, bytes: 10)]
            case .moving: [record(1, time: number, bytes: 10)]
            case .growing: (0..<10).map { record(number * 10 + $0, time: 1, bytes: 100_000) }
            }
        return PullReply(
            records: records, checkpoint: Checkpoint(bytes: Array("\(number)".utf8)), hasMore: hasMore, digest: nil,
            schemaVersion: 1, serverTime: 0
        ).protobuf()
    }

    private static func record(_ number: Int, time: Int, bytes: Int) -> RecordState {
        let name = String(repeating: "a", count: bytes)
        let put = Put(
            references: [], content: ContentCoding.encode([.init(property: PropertyID(1), value: .string(name))])
        ).encoded()
        let stamp = HybridTimestamp(time: UInt64(time) << 16, replica: ReplicaID(rawValue: 2))
        return RecordState(
            key: RecordKey(entity: EntityID(1), id: RecordID(high: 5, low: UInt64(number))),
            put: .init(stamp: stamp, base: nil, encoded: put))
    }

    private final class PageCounter: Sendable {
        private let state = Mutex(0)

        var count: Int { state.withLock { $0 } }

        func next() -> Int {
            state.withLock {
                $0 += 1
                return $0
            }
        }
    }
}
