import ArgumentParser
import Foundation

/// Measures the requested rows and prints them.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Measure and print the table (the default).",
        discussion: rows)

    /// A description of the figures and of each row.
    static let rows =
        """
        Everything is on real files in a fresh folder, deleted afterwards, and between real processes over loopback.
        FULL and NORMAL are SQLite's synchronous modes, the same on client and server.
        "× plain" is how many times as long as a plain SQLite table takes for such records, in the same run.
        "floor" is what the simplest program takes that does the same by SQLite, and "× floor" how many times as long Roost took.

        ROWS

        """
        + Row.all.map { row in
            "  \(row.names.joined(separator: ", "))\n"
                + "      " + row.help.replacing("\n", with: " ")
        }.joined(separator: "\n")

    /// The seconds after which a run is ended in any case.
    private static let secondsMax = (full: 900.0, quick: 240.0, peers: 1800.0)

    @Argument(help: "The rows to measure; all of them where none is named.")
    var rows: [String] = []
    @Flag(help: "Do less of everything: a first look.")
    var quick = false
    @Flag(help: "Print JSON lines instead of a table: one object for each figure.")
    var json = false
    @Flag(help: "Keep the figures as JSON lines in a file of their own, in \(KeptResults.folder).")
    var keep = false
    @Flag(help: "Run the peers on the same work in the same run; scripts/bench installs them.")
    var peers = false
    @Option(help: ArgumentHelp("The folder that the peers are installed in.", visibility: .hidden))
    var peersFolder = ".build/peers"
    @Option(help: ArgumentHelp("The commit that is measured, for what is kept.", visibility: .hidden))
    var commit = "unknown"
    @Option(help: "The server program; the one beside this program otherwise.")
    var server: String?

    func validate() throws {
        let known = Row.all.flatMap(\.names)
        for name in rows where !known.contains(name) {
            throw ValidationError("There is no row \"\(name)\". Expected one of: \(known.joined(separator: ", ")).")
        }
    }

    func run() async throws {
        let folder = try RunFolder()
        defer { folder.remove() }
        let watchdog = Watchdog(seconds: secondsMax, folder: folder.url)
        defer { watchdog.stop() }
        let (date, machine) = (Date(), Machine())
        if !json { print((machine.lines + [""]).joined(separator: "\n")) }
        let (figures, peerFigures, failures) = try await measure(
            Context(isQuick: quick, folder: folder.url, server: server))
        let lines = try figures.map { try FigureLine($0).jsonLine() } + peerFigures.map { try $0.jsonLine() }
        print(json ? lines.joined(separator: "\n") : Report.table(figures))
        if !json, peers { print("\n" + Report.table([PeerFigure.headings] + peerFigures.map(\.cells))) }
        if keep {
            let kept = try KeptResults(
                commit: commit, date: date, isQuick: quick, machine: machine, lines: lines)
            Self.note("kept in \(kept.path)")
        }
        for failure in failures { Self.note(failure) }
        if !failures.isEmpty { throw ExitCode.failure }
    }

    private var secondsMax: Double {
        peers ? Self.secondsMax.peers : quick ? Self.secondsMax.quick : Self.secondsMax.full
    }

    /// Measures each row, and then its peers. Failures are reported at the end, and the other rows continue.
    private func measure(_ context: Context) async throws -> (
        figures: [Figure], peers: [PeerFigure], failures: [String]
    ) {
        let compared = try peers ? Peers(context, installedIn: peersFolder) : nil
        var figures: [Figure] = []
        var peerFigures: [PeerFigure] = []
        var failures: [String] = []
        for row in Row.all where rows.isEmpty || row.names.contains(where: rows.contains) {
            let names = row.names.filter { rows.isEmpty || rows.contains($0) }
            let start = ContinuousClock.now
            do {
                Disk.settle()
                let syncs = try Disk.syncsPerSecond(in: context.folder)
                let line = try MemoryLines.ofSharedCache()
                for var figure in try await row.run(context) where names.contains(figure.row) {
                    figure.diskSyncs = syncs
                    figure.memoryLine = line
                    figures.append(figure)
                }
            } catch {
                failures.append("Cannot measure \(names.joined(separator: ", ")): \(error)")
            }
            for var figure in await compared?.measure(names) ?? [] {
                figure.compare(with: figures)
                peerFigures.append(figure)
            }
            let seconds = Report.number((ContinuousClock.now - start).seconds)
            context.note("\(names.joined(separator: ", ")): \(seconds) s")
        }
        return (figures, peerFigures, failures)
    }

    static let note: @Sendable (String) -> Void = { text in
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }
}
