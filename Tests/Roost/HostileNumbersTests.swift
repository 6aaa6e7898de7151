import Replica
import Roost
import RoostModel
import RoostProtocol
import Session
import TestLoopback
import Testing

/// Numbers in a server's replies that are as small or as large as numbers are.
@Suite struct HostileNumbersTests {
    /// A pause of nothing is no reason to ask without one; one of centuries ends a session that runs once.
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

    /// A page and its clock, then a write: neither the clock nor the version of a schema stops the device.
    @Test(.timeLimit(.minutes(2)), arguments: [0, 1 << 47, UInt64(Int64.max), UInt64.max] as [UInt64])
    func pageWithAnyTimeLeavesAClockThatWrites(_ serverTime: UInt64) async throws {
        let put = Put(
            references: [], content: ContentCoding.encode([.init(property: PropertyID(1), value: .text("Eve"))]))
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
}
