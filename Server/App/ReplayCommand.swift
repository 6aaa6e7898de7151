internal import ArgumentParser
internal import Foundation
internal import MemoryStore
internal import RoostMerge
internal import RoostModel
internal import RoostService
internal import SQLiteStore

struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Run histories through the server's store, and print what each leaves visible.",
        discussion: """
            Reads one history a line from standard input; changes are in arrival order, stamps are integers:
              {"changes":[{"record":"p","stamp":5,"put":{"a":"q"}},{"record":"p","stamp":6,"delete":true}]}
            Prints one line for each, the visible records with their references as they read:
              {"p":{"stamp":5,"refs":{"a":"q"}}}
            A line that is no history ends it with status 65 and its number on standard error.
            """)

    enum Kind: String, ExpressibleByArgument, CaseIterable { case sqlite, memory }

    @Flag(help: "Also say why a record is hidden or kept: {\"visible\": {…}, \"why\": {…}}.")
    var explain = false
    @Option(help: "Which store: sqlite (a file that is deleted afterwards) or memory.")
    var store = Kind.sqlite

    func run() async throws {
        try await Failure.reporting {
            switch store {
            case .memory:
                try replay { history in
                    var engine = try ReplayEngine(MemoryStore())
                    return try engine.run(history)
                }
            case .sqlite: try replayInFile()
            }
        }
    }

    private func replayInFile() throws {
        let folder = NSTemporaryDirectory() + "roost-replay-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = try SQLiteStore(path: folder + "/replay.sqlite", synchronous: .normal)
        var engine = try ReplayEngine(file)
        try replay { try engine.run($0) }
        try file.close()
    }

    private typealias Outcome = (visible: [RecordID: ReplayHistory.Visible], reasons: [RecordID: Liveness])

    private func replay(_ run: (ReplayHistory) throws -> Outcome) throws {
        var number = 0
        while let line = readLine() {
            number += 1
            if line.allSatisfy(\.isWhitespace) { continue }
            do {
                let history = try ReplayHistory(line: line)
                let result = try run(history)
                Console.write(history.render(result.visible, reasons: explain ? result.reasons : nil))
            } catch let error as ReplayHistory.LineError {
                throw Failure("Cannot replay line \(number): \(error)", .dataError)
            }
        }
    }
}
