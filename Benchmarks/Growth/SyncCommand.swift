import ArgumentParser
import BenchmarkData
import Foundation
import Replica

/// A device in a process of its own. It synchronises once, and reports the time and the peak memory.
struct SyncCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Be a device that synchronises once (used by the run itself).",
        shouldDisplay: false)

    @Option var replica: String
    @Option var synchronous: String

    func run() async throws {
        guard let durability = Durability(rawValue: synchronous) else {
            throw ValidationError("Expected --synchronous full or normal.")
        }
        let device = Device(try Replica(opening: replica, durability: durability))
        let seconds = try await Stopwatch.seconds { try await device.synchronise() }
        let peak = try ProcessUsage.peakBytes(ProcessInfo.processInfo.processIdentifier)
        try device.replica.close()
        print("\(seconds) \(peak)")
    }

    /// Runs another process that synchronises a replica.
    static func run(
        _ path: String, _ durability: Durability, _ context: Context
    ) async throws -> (seconds: Double, peakBytes: Double) {
        let child = try ChildProcess(
            context.program, ["sync", "--replica", path, "--synchronous", durability.rawValue])
        defer { child.stop() }
        let numbers = try await child.line().split(separator: " ").compactMap { Double($0) }
        guard numbers.count == 2 else { throw BenchmarkError("A device did not say what its synchronising took.") }
        return (numbers[0], numbers[1])
    }
}
