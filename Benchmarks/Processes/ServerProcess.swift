import BenchmarkData
import Foundation
import Replica

/// The real server, with a new folder, on a free port of loopback, and without limits on the rate of requests.
final class ServerProcess {
    let address: String
    let adminToken: String
    private let child: ChildProcess
    private let data: String
    private let context: Context
    private let durability: Durability

    /// The limits that are lifted for a benchmark. Every other limit keeps its default.
    private static let environment = [
        "ROOST_REQUESTS_PER_SECOND": "0", "ROOST_CHANGES_PER_HOUR_MAX": "0", "ROOST_UNAUTHENTICATED_PER_MINUTE": "0",
        "ROOST_CONNECTIONS_PER_ADDRESS_MAX": "4096", "ROOST_REPLICAS_PER_SCOPE_MAX": "2000",
    ]

    private init(
        data: String, listen: String, _ context: Context, _ durability: Durability, daysLater: Int = 0
    ) async throws {
        self.data = data
        self.context = context
        self.durability = durability
        let arguments = [
            "serve", "--data", data, "--listen", listen, "--synchronous", durability.rawValue, "--log-level", "error",
        ]
        child = try Self.run(context.server, arguments, daysLater: daysLater)
        let line = try await child.line()
        guard let address = line.split(separator: " ").last.map(String.init), address.hasPrefix("http://") else {
            throw BenchmarkError("The server says \"\(line)\", expected its address.")
        }
        self.address = address
        adminToken = try String(contentsOfFile: data + "/admin-token", encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    static func start(_ context: Context, _ durability: Durability) async throws -> ServerProcess {
        try await ServerProcess(
            data: context.freshPath("server"), listen: "127.0.0.1:0", context, durability)
    }

    /// Runs the server's program with a clock that is some days ahead, by Debian's faketime.
    private static func run(_ server: URL, _ arguments: [String], daysLater days: Int) throws -> ChildProcess {
        guard days > 0 else { return try ChildProcess(server, arguments, environment: environment) }
        // The shell does the work of the command faketime, which would stay as a separate process. Timers use the machine's
        // clock. The library changes the environment of the first program that loads it, so that program is env: Swift could
        // not find its arguments.
        let later = """
            LD_PRELOAD='/usr/$LIB/faketime/libfaketime.so.1' FAKETIME=+\(days)d FAKETIME_DONT_FAKE_MONOTONIC=1 exec env "$0" "$@"
            """
        return try ChildProcess(
            URL(fileURLWithPath: "/bin/sh"), ["-c", later, server.path] + arguments, environment: environment)
    }

    /// Ends the server, and starts another one with its data at its address.
    ///
    /// - Parameter days: The number of days by which the clock is advanced. The operator confirms that so much time has
    ///   passed.
    func restarted(daysLater days: Int = 0) async throws -> ServerProcess {
        stop()
        if days > 0 {
            let accept = try Self.run(context.server, ["clock", "accept", "--data", data], daysLater: days)
            while await accept.nextLine() != nil {}
            accept.stop()
        }
        let listen = address.replacing("http://", with: "").replacing("/", with: "")
        return try await ServerProcess(data: data, listen: listen, context, durability, daysLater: days)
    }

    /// Ends the server and deletes what it stored.
    func remove() {
        stop()
        context.remove(data)
    }

    func stop() { child.stop() }

    var computedSeconds: Double {
        get throws { try ProcessUsage.computedSeconds(child.id) }
    }

    /// The size of the files in its folder.
    var storedBytes: Double {
        get throws {
            let files = try FileManager.default.contentsOfDirectory(
                at: URL(fileURLWithPath: data), includingPropertiesForKeys: [.fileSizeKey])
            return try files.reduce(0) { try $0 + Double($1.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0) }
        }
    }

    /// The peak memory since its start.
    var peakBytes: Double {
        get throws { try ProcessUsage.peakBytes(child.id) }
    }

    var residentBytes: Double {
        get throws { try ProcessUsage.residentBytes(child.id) }
    }
}
