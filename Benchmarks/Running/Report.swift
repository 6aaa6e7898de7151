import Foundation
import Replica

/// The figures as a readable table.
enum Report {
    private static let headings = [
        "row", "work", "sync", "figure", "bar", "reached", "disk syncs/s", "memory ns", "plain SQLite", "× plain",
        "floor", "× floor", "repeats", "how",
    ]

    static func table(_ figures: [Figure]) -> String { table([headings] + figures.map(cells)) }

    /// Lays lines out in aligned columns.
    static func table(_ lines: [[String]]) -> String {
        let widths = (lines.first ?? []).indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        return lines.map { line in
            zip(line, widths).map { $0.padding(toLength: max($1, $0.count), withPad: " ", startingAt: 0) }
                .joined(separator: "  ").trimmingCharacters(in: .whitespaces)
        }.joined(separator: "\n")
    }

    private static func cells(_ figure: Figure) -> [String] {
        let bar =
            switch figure.bar {
            case .atLeast(let bound): "≥ \(number(bound))"
            case .atMost(let bound): "≤ \(number(bound))"
            case nil: ""
            }
        return [
            figure.row, figure.work, figure.durability?.rawValue.uppercased() ?? "–",
            "\(number(figure.value)) \(figure.unit)", bar, figure.reached.map { $0 ? "yes" : "no" } ?? "",
            figure.diskSyncs.map(number) ?? "", figure.memoryLine.map(number) ?? "",
            figure.baseline.map { "\(number($0.value)) \($0.unit)" } ?? "",
            figure.baseline.map { number($0.ratio) } ?? "",
            figure.floor.map { "\(number($0.value)) \($0.unit)" } ?? "", figure.floor.map { number($0.ratio) } ?? "",
            figure.repeats.map { "\($0.count): \(number($0.least))–\(number($0.greatest))" } ?? "", figure.detail,
        ]
    }

    /// Formats a number with three significant digits, and commas between thousands.
    static func number(_ value: Double) -> String {
        guard value.isFinite else { return "–" }
        if value >= 100 || value == value.rounded() { return grouped(Int(value.rounded())) }
        return String(format: value >= 10 ? "%.1f" : value >= 0.1 ? "%.2f" : "%.3f", value)
    }

    private static func grouped(_ value: Int) -> String {
        var digits = String(abs(value))
        var groups: [String] = []
        while digits.count > 3 {
            groups.insert(String(digits.suffix(3)), at: 0)
            digits.removeLast(3)
        }
        return (value < 0 ? "-" : "") + ([digits] + groups).joined(separator: ",")
    }
}
