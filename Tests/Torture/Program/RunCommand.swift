internal import ArgumentParser
internal import Foundation
internal import Torture

/// Runs the torture and prints its report.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Kill, starve and damage the real programs, and look at what they leave.",
        discussion: """
            Works on programs and files of its own in the temporary folder. Prints a report as Markdown; the status is 1 if a \
            promise was broken or a part did too little to prove anything.

            EXAMPLES
              roost-torture
              roost-torture crash proxy --short
              roost-torture kill --seed 7
              roost-torture --report torture.md
            """)

    @Argument(help: "The parts: crash, kill, writers, proxy, limits, corruption, upgrade; all if none is named.")
    var parts: [Part] = []
    @Flag(help: "The short form, as scripts/test runs it.")
    var short = false
    @Option(help: "Where random choices start from.")
    var seed: UInt64 = 1
    @Option(help: "A line for the head of the report, such as the commit.")
    var about = ""
    @Option(help: "A file that the report is written to as well.")
    var report: String?

    func run() throws {
        var reports: [PartReport] = []
        for part in parts.isEmpty ? Part.allCases : parts {
            let report = try part.run(short ? .short : .full, seed: seed)
            reports.append(report)
            FileHandle.standardError.write(
                Data("\(part.title): \(report.isPassed ? "passed" : "FAILED"), \(Int(report.seconds)) s\n".utf8))
        }
        let heading = [
            (name: "run", value: about), (name: "size", value: short ? "short" : "full"),
            (name: "processors", value: "\(ProcessInfo.processInfo.activeProcessorCount)"),
        ].filter { !$0.value.isEmpty }
        let text = Data(MarkdownReport.text(reports, heading: heading).utf8)
        FileHandle.standardOutput.write(text)
        if let report { try text.write(to: URL(filePath: report)) }
        if !reports.allSatisfy(\.isPassed) { throw ExitCode(1) }
    }
}

extension Part: ExpressibleByArgument {}
