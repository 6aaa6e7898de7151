import Replica
import Roost
import RoostModel
import RoostProtocol
import Session
import TestLoopback
import Testing

/// Extreme numbers in a server's replies.
@Suite struct HostileNumbersTests {
    /// A pause of zero does not remove the wait. A pause of centuries ends a session that runs once.
    @Test(.timeLimit(.minutes(2)), arguments: [0, -1, Int.min, Int.max], [0, 1 << 47, UInt64.max] as [UInt64])
    func refusalWithAnyNumbersIsRetried(_ retryAfter: Int, _ serverTime: UInt64) async throws {
        let body =
            #"{"error":{"code":"too_many_requests","message":"Busy.","retryAfter":\#(retryAfter),"serverTime":\#(serverTime)}}"#
        let server = try LoopbackServer { _, connection in
            connection.send("HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\n")
            connection.send("Retry-After: \(retryAfter)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            return .keep
        }
        defer { server.close() }
        let device = try JoinedDevice(.once(attemptsMax: 3), port: server.port)
        try device.write("Ana")
        let report = await device.synchronizer.run()
        #expect(!report.isUpToDate && report.isTemporary, "\(report)")
        await device.shutdown()
    }

    /// Neither an extreme clock nor an extreme schema version prevents writes.
    @Test(.timeLimit(.minutes(2)), arguments: [0, 1 << 47, UInt64(Int64.max), UInt64.max] as [UInt64])
    func pageWithAnyTimeLeavesAClockThatWrites(_ serverTime: UInt64) async throws {
        let put = Put(
            references: [], content: ContentCoding.encode([.init(property: PropertyID(1), value: .string("Eve"))]))
        let stamp = HybridTimestamp(time: serverTime, replica: ReplicaID(rawValue: UInt64.max))
        let page = PullReply(
            records: [
                RecordState(
                    key: RecordKey(entity: EntityID(1), id: RecordID(high: .max, low: .max)),
                    put: .init(stamp: stamp, base: stamp, encoded: put.encoded()), delete: nil)
            ], checkpoint: Checkpoint(bytes: [1]), hasMore: false, digest: nil, schemaVersion: 1, serverTime: serverTime
        ).protobuf()
        let server = try LoopbackServer { request, connection in
            guard request.line.contains("/v1/pull") else {
                connection.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
                return .keep
            }
            connection.send("HTTP/1.1 200 OK\r\nContent-Type: application/x-protobuf\r\n")
            connection.send("Content-Length: \(page.count)\r\n\r\n")
            connection.send(page)
            return .keep
        }
        defer { server.close() }
        let device = try JoinedDevice(.once(attemptsMax: 3), port: server.port)
        let report = await device.synchronizer.run()
        #expect(report.isUpToDate, "\(report)")
        try device.write(["Ana", "Bob"])
        #expect(try device.replica.select("SELECT count(*) FROM person")[0][0] == .integer(3))
        await device.shutdown()
    }

    /// No clock reaches a stamp beyond the last year: an edit of that record is beaten, and is in the journal.
    @Test(
        .timeLimit(.minutes(2)),
        arguments: [(1 << 47) - 1, 1 << 47, (1 << 48) - 1] as [UInt64],
        [0, (1 << 47) - 1, 253_402_300_799_000, .max] as [UInt64])
    func editBelowAStampBeyondTheLastYearIsBeaten(_ milliseconds: UInt64, _ serverTime: UInt64) async throws {
        let late = HybridTimestamp(time: milliseconds << 16 | 0xFFFF, replica: ReplicaID(rawValue: 2))
        let put = Put(
            references: [], content: ContentCoding.encode([.init(property: PropertyID(1), value: .string("Eve"))]))
        let record = RecordState(
            key: RecordKey(entity: EntityID(1), id: RecordID(high: 5, low: 5)),
            put: .init(stamp: late, base: nil, encoded: put.encoded()))
        let server = try LoopbackServer { request, connection in
            let body: [UInt8]
            if request.line.contains("/v1/pull") {
                body =
                    PullReply(
                        records: [record], checkpoint: Checkpoint(bytes: [1]), hasMore: false, digest: nil,
                        schemaVersion: 1, serverTime: serverTime
                    ).protobuf()
            } else if let push = try? PushRequest(protobuf: request.body) {
                let outcome = PushReply.Outcome(index: 0, kind: .beaten, other: late)
                let results = push.transactions.map { _ in
                    PushReply.Result.accepted(sequence: 2, outcomes: [outcome])
                }
                body = PushReply(number: push.number, results: results, serverTime: 0).protobuf()
            } else {
                return .close
            }
            let fields = "Content-Type: application/x-protobuf\r\nContent-Length: \(body.count)\r\n\r\n"
            connection.send(Array("HTTP/1.1 200 OK\r\n\(fields)".utf8) + body)
            return .keep
        }
        defer { server.close() }
        let device = try JoinedDevice(.once(attemptsMax: 3), port: server.port)
        #expect(await device.session(bounds: SyncBounds()).run().isUpToDate)
        try device.replica.write("edit") {
            try $0.put("Person", id: RecordID(high: 5, low: 5), ["name": .string("Ada")])
        }
        let report = await device.session(bounds: SyncBounds()).run()
        #expect(report.isUpToDate && report.beaten == 1, "\(report)")
        #expect(try device.replica.journal().contains { $0.outcome == .beaten })
        // Other programs can still write.
        try device.write(["Ana", "Bob"])
        try device.edit("Ana", to: "Zoe")
        try device.edit("Zoe", to: "Ida")
        #expect(await device.session(bounds: SyncBounds()).run().pushed >= 2)
        let stamps = try device.replica.select(
            "SELECT typeof(reading), reading < 9200000000000000000 FROM roost_control")
        #expect(stamps[0] == [.string("integer"), .integer(1)])
        await device.shutdown()
    }
}
