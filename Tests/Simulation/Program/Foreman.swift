import ArgumentParser
import Foundation
import Simulation

/// Distributes the seeds among processes, adds up their counts, and judges the result.
struct Foreman {
    private let command: RoostSimulate

    init(_ command: RoostSimulate) {
        self.command = command
    }

    func run() throws {
        let started = Date()
        let running = try (0..<command.workers).map(start)
        var total = Counts()
        var failures = 0
        var traces: Set<Substring> = []
        for (process, pipe) in running {
            let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            var last = "none"
            for line in output.split(separator: "\n") {
                let words = line.split(separator: " ")
                if words.first == "count", words.count == 3, let name = Counts.Name(rawValue: String(words[1])) {
                    total[name] += Int(words[2]) ?? 0
                } else if words.first == "foreign", words.count == 3 {
                    total.foreign[String(words[1]), default: 0] += Int(words[2]) ?? 0
                } else if words.first == "trace", words.count == 2 {
                    traces.insert(words[1])
                } else if words.first == "at", words.count == 2 {
                    last = String(words[1])
                } else if line == "failed" {
                    failures += 1
                } else {
                    print(line)
                }
            }
            if process.terminationStatus != 0 {
                print(
                    "seed \(last): a worker ended with status \(process.terminationStatus), and played no seed after it"
                )
                let faults = command.faults.map { " --faults \($0.text)" } ?? ""
                print("  replay: scripts/simulate --seed \(last)\(faults)\(command.choice.flags) --seeds 1 --trace")
                failures += 1
            }
        }
        if traces.count > 1 {
            print("seed \(command.seed): two processes play it otherwise")
            failures += 1
        }
        let report = Report(
            total, failures: failures, seconds: Date().timeIntervalSince(started), isWhole: command.faults == nil,
            foreign: command.choice)
        print(report.text)
        if !report.isGood { throw ExitCode(1) }
    }

    private func start(_ share: Int) throws -> (Process, Pipe) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments =
            [
                "--worker", "\(share)", "--workers", "\(command.workers)", "--seeds", "\(command.seeds)",
                "--seed", "\(command.seed)", "--tries", "\(command.tries)",
            ] + (command.minutes.map { ["--minutes", "\($0)"] } ?? [])
            + (command.faults.map { ["--faults", $0.text] } ?? [])
            + command.choice.flags.split(separator: " ").map(String.init)
        var environment = ProcessInfo.processInfo.environment
        // With it, a worker's behaviour depends on the seed alone, down to the order of a dictionary.
        environment["SWIFT_DETERMINISTIC_HASHING"] = "1"
        environment["SWIFT_BACKTRACE"] = "enable=no"
        process.environment = environment
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        return (process, pipe)
    }
}
