import ArgumentParser
import Foundation
import Replica
import RoostModel
import Simulation

/// Runs simulations of replicas and their server from seeds, and reports violated promises.
@main
struct RoostSimulate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roost-simulate",
        abstract: "Plays worlds of replicas and their server from seeds, and says which promises did not hold.")

    @Option(help: "How many seeds to play.")
    var seeds = 200
    @Option(help: "The first seed; with --seeds 1 or --steps, the one to replay.")
    var seed: UInt64 = 1
    @Option(help: "Stop after this many minutes, whatever is left.")
    var minutes: Double?
    @Option(help: "How many processes share the work.")
    var workers = 2
    @Option(help: "Play only these steps of the seed's script, as a failure prints them.")
    var steps: String?
    @Option(
        help:
            "Instead, lose the power at every write of a device's and a server's work, until there are so many images.")
    var powerLoss: Int?
    @Option(
        help: ArgumentHelp(
            "Give every world just these of the rarer faults, separated by commas, and ask for no floors: "
                + RareFault.allCases.map(\.rawValue).joined(separator: ", ") + ".", valueName: "names"))
    var faults: FaultNames?
    @Flag(help: "Let foreign programs write in every seed's replicas.")
    var foreign = false
    @Option(
        help: ArgumentHelp(
            "Let foreign programs do only these kinds of things, separated by commas: "
                + ForeignKind.allCases.map(\.rawValue).joined(separator: ", ") + ".", valueName: "kinds"))
    var foreignKinds: ForeignNames?
    @Flag(help: "Print what happens.")
    var trace = false
    @Option(help: "How many shorter scripts to try for each failure.")
    var tries = 400
    @Option(help: .hidden)
    var worker: Int?
    #if ROOST_SEEDED_BUGS
        @Option(help: "Look for this mistake in the code; 0 for none.")
        var bug: Int?
        @Flag(help: "Show which mistakes are caught.")
        var prove = false
    #endif

    func run() async throws {
        // Every program with Roost does this first.
        Replica.prepareProcess()
        #if ROOST_SEEDED_BUGS
            SeededBug.current = bug.flatMap { SeededBug(rawValue: $0) }
            if bug != nil { return try await BugHunt().run() }
            if prove { return try Proof().run() }
        #endif
        if let powerLoss { return try await losePower(powerLoss) }
        if let worker { return try await SeedWorker(share: worker, of: workers, self).run() }
        if trace || steps != nil || seeds == 1 { return try await replay() }
        try Foreman(self).run()
    }

    /// The choice of seeds with foreign programs, and of their kinds.
    var choice: ForeignChoice {
        if let foreignKinds { return .every(foreignKinds.list) }
        return foreign ? .every(ForeignKind.allCases) : .share
    }

    private func losePower(_ images: Int) async throws {
        defer { SimulatedDisk.removeAll() }
        let started = Date()
        let run = await PowerLossRun.play(images: images, from: seed)
        let seconds = Int(Date().timeIntervalSince(started).rounded())
        print(
            "\(run.images) images of \(run.points) points, \(run.damaged) with something lost or torn, \(run.torn) with something "
                + "torn, in \(seconds) s: " + (run.violation.map { "\($0)" } ?? "every promise held"))
        for missed in run.missed { print("too quiet: \(missed)") }
        if !run.isGood { throw ExitCode(1) }
    }

    /// Runs one seed, and prints its full result.
    private func replay() async throws {
        let images = try SampleImages()
        defer { SimulatedDisk.removeAll() }
        var script = Script(seed: seed, faults: faults?.list, foreign: choice)
        if let steps { script = script.keeping(steps.split(separator: ",").compactMap { Int($0) }) }
        let run = await SeedRun.play(script, images: images, keepsLines: trace)
        for line in run.lines { print(line) }
        print("trace \(String(run.traceHash, radix: 16))")
        guard let violation = run.violation else { return print("seed \(seed): every promise held") }
        print(Failure(violation, steps == nil ? await run.shrunk(images: images, triesMax: tries) : run).text)
        throw ExitCode(1)
    }
}

/// The value of `--foreign-kinds`.
struct ForeignNames: ExpressibleByArgument {
    let list: [ForeignKind]

    init?(argument: String) {
        let names = argument.split(separator: ",")
        list = names.compactMap { ForeignKind(rawValue: String($0)) }
        guard !list.isEmpty, list.count == names.count else { return nil }
    }
}

/// The value of `--faults`.
struct FaultNames: ExpressibleByArgument {
    let list: [RareFault]
    let text: String

    init?(argument: String) {
        let names = argument.split(separator: ",")
        list = names.compactMap { RareFault(rawValue: String($0)) }
        text = argument
        guard !list.isEmpty, list.count == names.count else { return nil }
    }
}
