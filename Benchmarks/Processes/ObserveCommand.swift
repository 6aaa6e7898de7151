import ArgumentParser
import Foundation
import Replica
import Roost

/// The other device of the row "live": keeps a replica synchronised and prints when each new spending is there.
struct ObserveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "observe", abstract: "Be the other device (used by the run itself).", shouldDisplay: false)

    @Option var replica: String
    @Option var synchronous: String

    func run() async throws {
        let path = replica
        guard let synchronous = Durability(rawValue: synchronous) else {
            throw ValidationError("Expected --synchronous full or normal.")
        }
        let device = try Replica(opening: path, durability: synchronous)
        let session = try LiveSession(device)
        let isReady = OneTimeFlag()
        let watching = Thread {
            do {
                try Self.watch(path, synchronous, isReady)
            } catch {
                FileHandle.standardError.write(Data("\(error)\n".utf8))
            }
        }
        watching.start()
        // The server's part of the connection is under way once the first pull is in.
        Task {
            try await Task.sleep(for: .milliseconds(500))
            isReady.set()
        }
        _ = await session.run()
    }

    /// Looks for new rows, and says when each was there by the clock that all processes share.
    private static func watch(_ path: String, _ durability: Durability, _ isReady: OneTimeFlag) throws {
        let database = try RawDatabase(path, durability)
        let last = try database.prepare("SELECT max(rowid) FROM spending")
        var seen = 0
        while true {
            if isReady.take() { say("ready") }
            let newest = try last.step() ? last.integer(0) : 0
            last.reset()
            if newest > seen {
                let now = Stopwatch.nanoseconds
                for _ in seen..<newest { say("\(now)") }
                seen = newest
            }
            usleep(50)
        }
    }

    private static func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}
