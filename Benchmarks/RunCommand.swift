import ArgumentParser
import Foundation

/// Measures the rows asked for and prints them.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Measure and print the table (the default).",
        discussion: rows)

    /// What the figures are, and what each row is.
    static let rows =
        """
        Everything is on real files in a fresh folder, deleted afterwards, and between real processes over loopback.
        FULL and NORMAL are SQLite's synchronous modes, the same on client and server.
        "reached": yes, half (at least half the speed, or at most twice the cost), or no.

        ROWS

        """
        + Row.all.map { row in
            "  \(row.names.joined(separator: ", "))\n"
                + "      " + row.help.replacing("\n", with: " ")
        }.joined(separator: "\n")

    /// Seconds after which a run is ended, whatever it waits for.
    private static let secondsMax = (full: 600.0, quick: 180.0)

    @Flag(help: "Do less of everything: a first look within a minute.")
    var quick = false
    @Option(help: "Measure only this row; may be repeated.")
    var only: [String] = []
    @Flag(help: "Print JSON instead of a table.")
    var json = false
    @Option(help: "The server program; the one beside this program otherwise.")
    var server: String?

    func validate() throws {
        let known = Row.all.flatMap(\.names)
        for name in only where !known.contains(name) {
            throw ValidationError("There is no row \"\(name)\". Expected one of: \(known.joined(separator: ", ")).")
        }
    }

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "roost-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let watchdog = Watchdog(seconds: quick ? Self.secondsMax.quick : Self.secondsMax.full, folder: folder)
        defer { watchdog.stop() }
        let machine = Machine.facts(isQuick: quick)
        if !json { print(machine.map { "\($0.name): \($0.value)" }.joined(separator: "\n") + "\n") }
        let (figures, failures) = await measure(context(folder))
        print(try json ? Report.json(machine, figures) : Report.table(figures))
        for failure in failures { Self.note(failure) }
        if !failures.isEmpty { throw ExitCode.failure }
    }

    private func context(_ folder: URL) -> Context {
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let server =
            server.map { URL(fileURLWithPath: $0) }
            ?? program.deletingLastPathComponent().appending(path: "roost-server")
        return Context(isQuick: quick, folder: folder, server: server, program: program, note: Self.note)
    }

    /// Measures row after row; what fails is told at the end, and the others go on.
    private func measure(_ context: Context) async -> (figures: [Figure], failures: [String]) {
        var figures: [Figure] = []
        var failures: [String] = []
        for row in Row.all where only.isEmpty || row.names.contains(where: only.contains) {
            let name = row.names.joined(separator: ", ")
            let start = ContinuousClock.now
            do {
                figures += try await row.run(context).filter { only.isEmpty || only.contains($0.row) }
                context.note("\(name): \(Report.number((ContinuousClock.now - start).seconds)) s")
            } catch {
                failures.append("Cannot measure \(name): \(error)")
            }
        }
        return (figures, failures)
    }

    private static let note: @Sendable (String) -> Void = { text in
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }
}
