import ArgumentParser
import BenchmarkData
import Foundation
import Replica
import Roost
import Synchronization

/// The other device of the row "live". It keeps a replica synchronised, and prints the time at which each new spending is
/// visible.
struct ObserveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "observe", abstract: "Be the other device (used by the run itself).", shouldDisplay: false)

    @Option var replica: String
    @Option var synchronous: String
    @Flag(help: "Look at a list of live results, and not at the table.") var results = false

    func run() async throws {
        guard let synchronous = Durability(rawValue: synchronous) else {
            throw ValidationError("Expected --synchronous full or normal.")
        }
        let device = try Replica(opening: replica, durability: synchronous)
        let session = try LiveSession(device)
        // Only the session's thread uses the table, but the compiler cannot infer that.
        let table = results ? nil : Mutex(try ObservedTable(replica, synchronous))
        let observation = device.observeRemoteChanges { table?.withLock { $0.look() } }
        defer { observation.cancel() }
        let telling = Task {
            do {
                if results { try await Self.follow(device) } else { try await Self.sayReady() }
            } catch is CancellationError {
            } catch {
                Self.exit(withError: error)
            }
        }
        defer { telling.cancel() }
        _ = await session.run()
    }

    /// Reports readiness after a pause, in which the first pull is applied and the server's side of the connection is set up.
    private static func sayReady() async throws {
        try await Task.sleep(for: .milliseconds(500))
        say("ready")
    }

    /// Prints the time at which each new row is in a list, as a program would show it.
    private static func follow(_ device: Replica) async throws {
        let context = ObjectContext(try StoreCoordinator(device))
        let list = try FetchedResultsController<ManagedObject>(
            FetchRequest("Spending", sortedBy: [.ascending("date")]), in: context)
        try list.performFetch()
        let steps = try list.updates()
        try await sayReady()
        for try await step in steps {
            let now = Stopwatch.nanoseconds
            for case .insertRow in step.difference.changes { say("\(now)") }
        }
    }

    static func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}
