import BenchmarkData
import Foundation
import Replica

/// The real server, with a fresh folder, on a free port of loopback, and with no limit on how often it is asked.
final class ServerProcess {
    let address: String
    let adminToken: String
    private let child: ChildProcess
    private let data: String
    private let context: Context
    private let durability: Durability

    /// What is lifted for a benchmark; every other limit stays as it is.
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

    /// Runs the server's program by a clock that is some days ahead: Debian's faketime.
    private static func run(_ server: URL, _ arguments: [String], daysLater days: Int) throws -> ChildProcess {
        guard days > 0 else { return try ChildProcess(server, arguments, environment: environment) }
        // What the command faketime does, which stays as a process of its own. Timers go on by the machine's clock. The library adds to the
        // environment of the first program that it is loaded into, which is env: Swift would not find its arguments then.
        let later = """
            LD_PRELOAD='/usr/$LIB/faketime/libfaketime.so.1' FAKETIME=+\(days)d FAKETIME_DONT_FAKE_MONOTONIC=1 exec env "$0" "$@"
            """
        return try ChildProcess(
            URL(fileURLWithPath: "/bin/sh"), ["-c", later, server.path] + arguments, environment: environment)
    }

    /// Ends the server, and starts another one with its data at its address.
    ///
    /// - Parameter days: How many days later; its operator confirms that so much time has passed.
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

    /// How much the files of its folder take.
    var storedBytes: Double {
        get throws {
            let files = try FileManager.default.contentsOfDirectory(
                at: URL(fileURLWithPath: data), includingPropertiesForKeys: [.fileSizeKey])
            return try files.reduce(0) { try $0 + Double($1.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0) }
        }
    }

    /// The most memory since its start.
    var peakBytes: Double {
        get throws { try ProcessUsage.peakBytes(child.id) }
    }

    var residentBytes: Double {
        get throws { try ProcessUsage.residentBytes(child.id) }
    }
}
