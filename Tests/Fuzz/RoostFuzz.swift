import ArgumentParser
import Foundation

/// The `roost-fuzz` program: mutated inputs for all code that reads untrusted bytes.
@main
struct RoostFuzz: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roost-fuzz",
        abstract:
            "Give mutated inputs to all that reads bytes of others, and find what crashes, loops or contradicts itself.",
        discussion: """
            An input fails if it ends the process, breaks a property of its target (what was read and written again reads \
            the same; a server answers, and with no 5xx), or takes more processor time than its budget. It is kept in the \
            folder of --keep, and is played again with --replay.

            EXAMPLES:
              roost-fuzz --seconds 120
              roost-fuzz --target schema --seconds 600 --seed 7
              roost-fuzz --target schema --replay fuzz-schema-1f2e3d4c.bin
            """)

    @Option(name: .long, help: "One of \(FuzzTargets.names.joined(separator: ", ")); else all in turn.")
    var target: String?

    @Option(name: .long, help: "Seconds for all of it.")
    var seconds = 60

    @Option(name: .long, help: "Chooses the mutations.")
    var seed: UInt64 = 1

    @Option(name: .long, help: "Plays the input of this file only.", completion: .file())
    var replay: String?

    @Option(name: .long, help: "The folder to keep inputs that fail in.", completion: .directory)
    var keep = "."

    @Option(name: .long, help: .hidden)
    var worker: String?

    func validate() throws {
        guard target.map({ FuzzTargets.names.contains($0) }) ?? true else {
            throw ValidationError(
                "There is no target \"\(target ?? "")\": expected \(FuzzTargets.names.joined(separator: ", ")).")
        }
        guard replay == nil || target != nil else { throw ValidationError("--replay needs --target.") }
        guard seconds > 0 else { throw ValidationError("--seconds is \(seconds), expected 1 or more.") }
    }

    func run() throws {
        if let worker, let target { return try FuzzWorker(target, seed: seed, seconds: seconds, current: worker).run() }
        if let replay, let target {
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: replay)))
            guard let failure = try FuzzTargets.make(target).judge(bytes) else {
                return print("\(target): the input passes")
            }
            print("\(target): \(failure)")
            throw ExitCode(1)
        }
        var hasFailed = false
        let names = target.map { [$0] } ?? FuzzTargets.names
        for name in names {
            let supervisor = FuzzSupervisor(name, seed: seed, seconds: max(1, seconds / names.count), keep: keep)
            if try !supervisor.run() { hasFailed = true }
        }
        if hasFailed { throw ExitCode(1) }
    }
}
