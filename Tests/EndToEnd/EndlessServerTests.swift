import RoostModel
import RoostProtocol
import Synchronization
import TestLoopback
import TestProcesses
import Testing

/// `roost sync` ends with a documented status and a reason, even if the server sends pages without end.
@Suite struct EndlessServerTests {
    /// Makes a server that answers each pull with a record and reports that there is more. The record's stamp may advance.
    private func server(moves: Bool) throws -> LoopbackServer {
        let count = Counter()
        return try LoopbackServer { request, connection in
            guard request.line.contains("/v1/pull") else {
                connection.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
                return .keep
            }
            let number = count.next()
            let time = UInt64(moves ? number : 1) << 16
            let put = Put(
                references: [], content: ContentCoding.encode([.init(property: PropertyID(1), value: .string("Eve"))]))
            let record = RecordState(
                key: RecordKey(entity: EntityID(1), id: RecordID(high: 5, low: 5)),
                put: .init(
                    stamp: HybridTimestamp(time: time, replica: ReplicaID(rawValue: 2)), base: nil,
                    encoded: put.encoded()))
            let page = PullReply(
                records: [record], checkpoint: Checkpoint(bytes: Array("\(number)".utf8)), hasMore: true, digest: nil,
                schemaVersion: 1, serverTime: 0
            ).protobuf()
            let fields = "Content-Type: application/x-protobuf\r\nContent-Length: \(page.count)\r\n\r\n"
            connection.send(Array("HTTP/1.1 200 OK\r\n\(fields)".utf8) + page)
            return .keep
        }
    }

    /// Makes a replica whose server has been replaced by another one at its address.
    private func replica(of stage: Stage, at port: UInt16) throws -> String {
        let replica = try stage.makeScope()
        try Programs.check("roost", "sync", replica)
        try Programs.sql(replica, "UPDATE roost_state SET value = 'http://127.0.0.1:\(port)' WHERE name = 'server'")
        return replica
    }

    @Test(.timeLimit(.minutes(5))) func syncEndsAfterPagesThatBringNothing() throws {
        let (stage, server) = (try Stage(), try server(moves: false))
        defer { server.close() }
        let output = try Programs.run("roost", ["sync", try replica(of: stage, at: server.port)])
        #expect(output.status == 77 && output.error.contains("does not come to an end"), "\(output)")
    }

    @Test(.timeLimit(.minutes(5))) func syncEndsWithItsTime() throws {
        let (stage, server) = (try Stage(), try server(moves: true))
        defer { server.close() }
        let replica = try replica(of: stage, at: server.port)
        let output = try Programs.run("roost", ["sync", replica, "--time-limit", "1"])
        #expect(output.status == 75 && output.error.contains("Not done after 1 s"), "\(output)")
        #expect(try Programs.sql(replica, "SELECT name FROM person").lines == ["Eve"])
        let full = try Programs.run("roost", ["sync", replica, "--file-limit", "0"])
        #expect(full.status == 64, "\(full)")
    }

    private final class Counter: Sendable {
        private let state = Mutex(0)

        func next() -> Int {
            state.withLock {
                $0 += 1
                return $0
            }
        }
    }
}
