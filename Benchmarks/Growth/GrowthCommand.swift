import ArgumentParser
import Foundation
import Replica

/// Measures how costs grow, and draws them.
struct GrowthCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "growth",
        abstract: "Measure how costs grow with records, scopes, waiting changes, deletes and transactions; draw them.",
        discussion: """
            What a sync costs with 1,000 to 1,000,000 records in its scope, 1 to 10,000 scopes on its server, 1 to 100,000 changes \
            that wait, 1,000 to 1,000,000 records that are deleted and purged 100 days later (by Debian's faketime), 1,000 to 1,000,000 \
            that one SQL transaction writes; and the greatest memory of each side, in a process of its own.
            """)

    private static let plotsFolder = "Docs/growth"
    private static let secondsMax = (full: 3600.0, quick: 180.0)

    @Argument(help: "What is to grow: records, scopes, pending, deleted, written; all where none is named.")
    var axes: [String] = []
    @Option(parsing: .upToNextOption, help: "How many records, for deleted and written, instead of the usual numbers.")
    var at: [Int] = []
    @Flag(help: "The smallest sizes only: within a minute.")
    var quick = false
    @Flag(help: "Print JSON lines instead of a table.")
    var json = false
    @Flag(help: "Keep the figures in \(KeptResults.folder) and the plots in \(plotsFolder).")
    var keep = false
    @Option(help: "Draw the plots into this folder.")
    var plots: String?
    @Option(help: "SQLite's synchronous mode on both sides: normal or full.")
    var synchronous = Durability.normal.rawValue
    @Option(help: ArgumentHelp("The commit that is measured, for what is kept.", visibility: .hidden))
    var commit = "unknown"
    @Option(help: "The server program; the one beside this program otherwise.")
    var server: String?

    func validate() throws {
        for axis in axes where GrowthPoint.Axis(rawValue: axis) == nil {
            throw ValidationError(
                "Nothing grows that is called \"\(axis)\". Expected records, scopes, pending, deleted or written.")
        }
        guard at.allSatisfy({ (1...1_000_000).contains($0) }) else {
            throw ValidationError("Expected numbers of records from 1 to 1000000 after --at.")
        }
        guard Durability(rawValue: synchronous) != nil else {
            throw ValidationError("Expected --synchronous full or normal.")
        }
    }

    func run() async throws {
        let folder = try RunFolder()
        defer { folder.remove() }
        let watchdog = Watchdog(seconds: quick ? Self.secondsMax.quick : Self.secondsMax.full, folder: folder.url)
        defer { watchdog.stop() }
        let (date, machine) = (Date(), Machine())
        let (points, failures) = await measure(Context(isQuick: quick, folder: folder.url, server: server))
        let lines = try points.map { try $0.jsonLine() }
        print(
            json ? lines.joined(separator: "\n") : Report.table([GrowthPoint.headings] + points.map(\.cells)))
        if keep {
            let kept = try KeptResults(
                commit: commit, date: date, isQuick: quick, machine: machine, lines: lines, kind: "-growth")
            RunCommand.note("kept in \(kept.path)")
        }
        if let plots = plots ?? (keep ? Self.plotsFolder : nil) {
            let caption =
                "\(date.formatted(.iso8601.year().month().day())), commit \(commit), \(machine.lines[0]), load before: \(machine.loadBefore)"
            try GrowthPlots.write(points, into: plots, caption: caption)
        }
        for failure in failures { RunCommand.note(failure) }
        if !failures.isEmpty { throw ExitCode.failure }
    }

    private func measure(_ context: Context) async -> (points: [GrowthPoint], failures: [String]) {
        let durability = Durability(rawValue: synchronous) ?? .normal
        let sizes = at.isEmpty ? nil : at
        var points: [GrowthPoint] = []
        var failures: [String] = []
        for axis in GrowthPoint.Axis.allCases where axes.isEmpty || axes.contains(axis.rawValue) {
            do {
                switch axis {
                case .records: points += try await RecordsGrowth(context: context, durability: durability).run()
                case .scopes: points += try await ScopesGrowth(context: context, durability: durability).run()
                case .pending: points += try await PendingGrowth(context: context, durability: durability).run()
                case .deleted:
                    points += try await DeletedGrowth(context: context, durability: durability, sizes: sizes).run()
                case .written:
                    points += try await WrittenGrowth(context: context, durability: durability, sizes: sizes).run()
                }
            } catch {
                failures.append("Cannot measure growth with \(axis.rawValue): \(error)")
            }
        }
        return (points, failures)
    }
}
