/// The report of a run, as it goes into the documents.
package enum MarkdownReport {
    /// - Parameter heading: The commit, the machine, the day; said by whoever runs it.
    package static func text(_ reports: [PartReport], heading: [(name: String, value: String)]) -> String {
        var lines = heading.map { "- \($0.name): \($0.value)" }
        lines += [
            "",
            "| part | result | seed | seconds | faults | written | acknowledged | beaten | hidden | refused | s to converge |",
        ]
        lines.append("|---|---|---|---|---|---|---|---|---|---|---|")
        lines += reports.map(row)
        for report in reports { lines += section(report) }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func row(_ report: PartReport) -> String {
        let traffic = report.traffic
        let cells =
            [
                report.part.title, report.isPassed ? "passed" : "**failed**", "\(report.seed)", tenth(report.seconds),
                "\(report.faults.values.reduce(0, +))",
            ]
            + [traffic.written, traffic.acknowledged, traffic.beaten, traffic.hidden, traffic.refused].map { "\($0)" }
            + [report.secondsToConverge.map(tenth) ?? ""]
        return "| " + cells.joined(separator: " | ") + " |"
    }

    private static func section(_ report: PartReport) -> [String] {
        var lines = ["", "**\(report.part.title)**", ""]
        let faults = report.faults.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        lines.append("- faults: " + (faults.isEmpty ? "none" : faults.joined(separator: ", ")))
        lines += report.floors.map {
            "- \($0.name): \($0.reached), at least \($0.least)\($0.reached < $0.least ? " **not reached**" : "")"
        }
        lines += report.figures.map { "- \($0.name): \($0.value)" }
        lines += report.omissions.map { "- left out: \($0)" }
        lines += report.failures.map { "- **broken**: \($0)" }
        return lines
    }

    private static func tenth(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
