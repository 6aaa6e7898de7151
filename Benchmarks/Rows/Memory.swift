import Replica
import Roost
import RoostModel
import RoostProtocol
import Transport

/// The server's memory, idle and with 500 devices that wait for changes.
struct Memory {
    static let row = Row(
        names: ["memory"],
        help: """
            Resident memory of the server: after its start, and how much each of 500 devices adds that wait for something
            new in a long poll, each on a connection of its own.
            """, run: { try await Memory(context: $0).run() })

    /// The number of transports; each one carries a part of the connections.
    private static let transports = 4

    let context: Context

    func run() async throws -> [Figure] {
        let count = context.waitingDevices
        let server = try await ServerProcess.start(context, .normal)
        defer { server.stop() }
        try await Task.sleep(for: .milliseconds(500))
        let idle = try server.residentBytes
        let scope = try await ServedScope.make(context, on: server, .normal)
        let tokens = try await scope.register(count).map(\.token)
        try await Task.sleep(for: .milliseconds(500))
        let joined = try server.residentBytes
        let waiting = try await wait(server, tokens)
        try scope.owner.close()
        return [
            Figure(
                row: "memory", measure: "idle", work: "idle server", value: idle / 1_048_576, unit: "MiB",
                bar: .atMost(25)),
            Figure(
                row: "memory", measure: "connection", work: "an idle live connection, of \(count)",
                value: (waiting - joined) / Double(count) / 1024,
                unit: "KiB", bar: .atMost(20),
                detail:
                    "\(Report.number(joined / 1_048_576)) MiB once they joined, \(Report.number(waiting / 1_048_576)) MiB "
                    + "while they wait; \(Report.number((waiting - idle) / Double(count) / 1024)) KiB each with joining"
            ),
        ]
    }

    /// - Returns: The server's memory while all devices are waiting.
    private func wait(_ server: ServerProcess, _ tokens: [String]) async throws -> Double {
        var configuration = TransportConfiguration()
        configuration.connectionsMax = tokens.count
        let transports = try (0..<Self.transports).map { _ in
            try HTTPTransport(to: try ServerAddress(server.address), configuration)
        }
        let bytes = try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, token) in tokens.enumerated() {
                let client = ServerClient(transports[index % transports.count], token: token)
                group.addTask {
                    let page = try await client.pull(since: nil, waitSeconds: 0)
                    _ = try? await client.pull(since: page.checkpoint.bytes, waitSeconds: 50)
                }
            }
            try await Task.sleep(for: .seconds(3))
            let bytes = try server.residentBytes
            group.cancelAll()
            try await group.waitForAll()
            return bytes
        }
        for transport in transports { await transport.shutdown() }
        return bytes
    }
}
