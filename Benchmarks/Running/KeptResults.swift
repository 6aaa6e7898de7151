import Foundation

/// The kept file of a run: JSON lines, of which the first one names the commit and the machine.
struct KeptResults {
    private struct Heading: Encodable {
        var commit: String
        var date: String
        var work: String
        var machine: Machine
    }

    /// The folder, relative to the repository's top.
    static let folder = "Benchmarks/results"

    let path: String

    /// Writes a new file for this run.
    init(
        commit: String, date: Date, isQuick: Bool, machine: Machine, lines: [String],
        kind: String = ""
    ) throws {
        let time = date.formatted(.iso8601.timeZoneSeparator(.omitted))
        let heading = Heading(commit: commit, date: time, work: isQuick ? "quick" : "full", machine: machine)
        let name = date.formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
        path = "\(Self.folder)/\(name)-\(commit)\(kind).jsonl"
        try FileManager.default.createDirectory(atPath: Self.folder, withIntermediateDirectories: true)
        let text = ([try heading.jsonLine()] + lines).map { $0 + "\n" }.joined()
        try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .withoutOverwriting)
    }
}
