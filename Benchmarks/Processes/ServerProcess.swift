import BenchmarkData
import Foundation
import Replica

/// The real server, with a fresh folder, on a free port of loopback, and with no limit on how often it is asked.
final class ServerProcess {
    let address: String
    let adminToken: String
    private let child: ChildProcess

    /// What is lifted for a benchmark; every other limit stays as it is.
    private static let environment = [
        "ROOST_REQUESTS_PER_SECOND": "0", "ROOST_CHANGES_PER_HOUR_MAX": "0", "ROOST_UNAUTHENTICATED_PER_MINUTE": "0",
        "ROOST_CONNECTIONS_PER_ADDRESS_MAX": "4096", "ROOST_REPLICAS_PER_SCOPE_MAX": "2000",
    ]

    private init(_ child: ChildProcess, address: String, adminToken: String) {
        self.child = child
        self.address = address
        self.adminToken = adminToken
    }

    static func start(_ context: Context, _ durability: Durability) async throws -> ServerProcess {
        let data = context.freshPath("server")
        let child = try ChildProcess(
            context.server,
            [
                "serve", "--data", data, "--listen", "127.0.0.1:0", "--synchronous", durability.rawValue, "--log-level",
                "error",
            ], environment: environment)
        let line = try await child.line()
        guard let address = line.split(separator: " ").last.map(String.init), address.hasPrefix("http://") else {
            throw BenchmarkError("The server says \"\(line)\", expected its address.")
        }
        let token = try String(contentsOfFile: data + "/admin-token", encoding: .utf8)
        return ServerProcess(
            child, address: address, adminToken: token.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    func stop() { child.stop() }

    var computedSeconds: Double {
        get throws { try ProcessUsage.computedSeconds(child.id) }
    }

    var residentBytes: Double {
        get throws { try ProcessUsage.residentBytes(child.id) }
    }
}
