/// The report of a run, in the form used in the documents.
package enum MarkdownReport {
    /// - Parameter heading: The commit, the machine, the day, as given by the caller.
    package static func text(_ reports: [PartReport], heading: [(name: String, value: String)]) -> String {
        var lines = heading.map { "- \($0.name): \($0.value)" }
        lines += [
            "",
            "| part | result | seed | seconds | faults | written | acknowledged | beaten | hidden | refused | s to converge |",
        ]
        lines.append("|---|---|---|---|---|---|---|---|---|---|---|")
        lines += reports.map(row)
        if reports.count > 1 { lines.append(total(reports)) }
        for report in reports { lines += section(report) }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func row(_ report: PartReport) -> String {
        row(
            report.part.title, isPassed: report.isPassed, seed: "\(report.seed)", [report],
            report.secondsToConverge.map(tenth) ?? "")
    }

    /// Returns the row of sums, with the longest time to converge.
    private static func total(_ reports: [PartReport]) -> String {
        row(
            "all", isPassed: reports.allSatisfy(\.isPassed), seed: "", reports,
            reports.compactMap(\.secondsToConverge).max().map(tenth) ?? "")
    }

    private static func row(
        _ title: String, isPassed: Bool, seed: String, _ reports: [PartReport], _ secondsToConverge: String
    ) -> String {
        func sum(_ count: (PartReport) -> Int) -> String { "\(reports.reduce(0) { $0 + count($1) })" }
        let cells = [
            title, isPassed ? "passed" : "**failed**", seed, tenth(reports.reduce(0) { $0 + $1.seconds }),
            sum { $0.faults.values.reduce(0, +) }, sum(\.traffic.written), sum(\.traffic.acknowledged),
            sum(\.traffic.beaten), sum(\.traffic.hidden), sum(\.traffic.refused), secondsToConverge,
        ]
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
