internal import ArgumentParser
internal import Foundation
internal import Replica
internal import Roost
internal import RoostMerge
internal import RoostModel
internal import Terminal

struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Run histories through an engine, and print what each leaves visible.",
        discussion: """
            Reads one history a line from standard input; changes are in arrival order, stamps are integers:
              {"changes":[{"record":"p","stamp":5,"put":{"a":"q"}},{"record":"p","stamp":6,"delete":true}]}
            Prints one line for each, the visible records with their references as they read:
              {"p":{"stamp":5,"refs":{"a":"q"}}}
            A record has the references a, b (cascade), t (cascade, tree), n (nullify), d (deny) and o (noAction). \
            The client engine is a replica file; the server engine is the server's store, run by "roost-server replay".

            EXAMPLE
              roost replay --engine client --explain < histories.jsonl
            """)

    enum Engine: String, ExpressibleByArgument, CaseIterable { case client, server }

    @Option(help: "Whose code: client or server.")
    var engine: Engine
    @Flag(help: "Also say why a record is hidden or kept: {\"visible\": {…}, \"why\": {…}}.")
    var explain = false
    @Flag(help: "Accepted like everywhere; the output is JSON anyway.")
    var json = false

    func run() async throws {
        try await reporting("roost", json: json) {
            switch engine {
            case .client: try replay()
            case .server: try runServer()
            }
        }
    }

    private func replay() throws {
        let engine = try ReplayEngine()
        var number = 0
        while let line = readLine() {
            number += 1
            if line.unicodeScalars.allSatisfy(\.properties.isWhitespace) { continue }
            do {
                let history = try ReplayHistory(line: line)
                let result = try engine.run(history)
                Console.write(history.render(result.visible, reasons: explain ? result.reasons : nil))
            } catch let error as ReplayHistory.LineError {
                Console.note("roost: line \(number): \(error)")
                throw ExitCode(ExitStatus.dataError.rawValue)
            }
        }
    }

    /// Runs the server's program, which contains the server engine. It takes over this process's input and output.
    private func runServer() throws {
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let server = own.deletingLastPathComponent().appendingPathComponent("roost-server")
        guard FileManager.default.isExecutableFile(atPath: server.path) else {
            throw RoostError(
                .unavailable,
                "Cannot replay with the server engine: there is no \"roost-server\" beside \"roost\". Build or install it."
            )
        }
        let process = Process()
        process.executableURL = server
        process.arguments = ["replay"] + (explain ? ["--explain"] : [])
        try process.run()
        process.waitUntilExit()
        if process.terminationStatus != 0 { throw ExitCode(process.terminationStatus) }
    }
}
