internal import ArgumentParser
internal import Replica
internal import Roost
internal import RoostModel
internal import Synchronization
internal import Terminal

struct SyncCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Push what waits and pull what is new, once.",
        discussion: """
            A server that cannot be reached is no failure of local work: what waits stays in the replica and goes with the \
            next attempt. A damaged file is repaired first, as "roost repair" does. The status is 0 when everything is pushed and \
            pulled, 75 when a later attempt may do it, and 77 when a person has to do something first.

            No wait is without an end, and each is reported: other programs that hold the file are waited for up to 30 s in all, a \
            server that does not answer up to 30 s in each of three attempts, and one that asks for a pause up to 10 s. After an hour, \
            or the seconds of --time-limit, it ends with 75 and says what the server was doing; what was exchanged is kept.

            A server is not believed without bounds: where the file has the MiB of --file-limit, or a pull brings as much, or comes to \
            no end, it ends with 77.

            EXAMPLE
              roost sync trip.roost
            """)

    @Argument(help: "The replica file.")
    var file: String
    @Option(help: "Seconds after which it ends; 0 for never.")
    var timeLimit = 3600
    @OptionGroup var limit: FileLimitOption
    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard (0...1_000_000_000).contains(timeLimit) else {
            throw ValidationError("--time-limit is \(timeLimit), expected 0 or more.")
        }
    }

    private var bounds: SyncBounds {
        var bounds = limit.bounds
        bounds.timeMax = timeLimit == 0 ? nil : .seconds(timeLimit)
        return bounds
    }

    func run() async throws {
        try await common.run {
            let (replica, repair) = try Replica.repairing(opening: file)
            let noted = Mutex(SessionState.notRunning)
            var report = try await replica.synchronise(bounds: bounds) { state in
                guard state.isImpeded,
                    noted.withLock({ last in
                        defer { last = state }
                        return last != state
                    })
                else { return }
                Console.note("roost: \(Console.printable(state.description))")
            }
            report.notices = (repair?.notices ?? []) + report.notices
            common.json ? Console.write(report.json) : write(report)
            if report.isUpToDate { return }
            throw ExitCode((report.isTemporary ? ExitStatus.temporary : .notPermitted).rawValue)
        }
    }

    private func write(_ report: SyncReport) {
        Console.write("pushed \(report.pushed), pulled \(report.pulled)")
        if report.beaten > 0 {
            Console.write(
                "\(report.beaten) of your changes \(report.beaten == 1 ? "was" : "were") beaten by later ones: roost journal \(ShellWord.quoted(file))"
            )
        }
        if report.refused > 0 {
            Console.write(
                "\(report.refused) of your changes \(report.refused == 1 ? "was" : "were") refused: roost journal \(ShellWord.quoted(file))"
            )
        }
        if report.hidden > 0 {
            Console.write(
                "\(report.hidden) records are hidden by others' deletes: roost journal \(ShellWord.quoted(file))")
        }
        if report.shown > 0 { Console.write("\(report.shown) records are back") }
        for notice in report.notices { Console.write(Console.printable(notice)) }
        if report.broughtBack > 0 {
            Console.write("\(report.broughtBack) records that the server had lost are back on it")
        }
        if report.forgotten > 0 { Console.write("\(report.forgotten) deleted records were purged by the server") }
        if report.corrected > 0 { Console.write("\(report.corrected) records were damaged here and were repaired") }
        if report.isUpToDate {
            Console.write("up to date")
        } else {
            Console.note("roost: not up to date: \(Console.printable(report.state))")
        }
    }
}

struct DigestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "digest", abstract: "Print the digest of a replica's confirmed slots, or of the server's.",
        discussion: """
            Two copies of a scope with the same digest hold the same.

            EXAMPLES
              roost digest trip.roost
              roost digest trip.roost --server
            """)

    @Argument(help: "The replica file.")
    var file: String
    @Flag(help: "Ask the server for its digest instead.")
    var server = false
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await common.run {
            let replica = try Replica(opening: file)
            let digest =
                server
                ? try await replica.scope.digest()?.description ?? "" : try replica.digest().description
            common.json ? Console.write(.members(("digest", .string(digest)))) : Console.write(digest)
        }
    }
}
