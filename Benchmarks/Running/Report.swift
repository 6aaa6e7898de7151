import Foundation
import Replica

/// The figures as a table for people, or as JSON for machines.
enum Report {
    private static let headings = [
        "row", "work", "sync", "figure", "target", "half", "reached", "best peer, measured elsewhere", "how",
    ]

    static func table(_ figures: [Figure]) -> String {
        let lines = [headings] + figures.map(cells)
        let widths = headings.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        return lines.map { line in
            zip(line, widths).map { $0.padding(toLength: max($1, $0.count), withPad: " ", startingAt: 0) }
                .joined(separator: "  ").trimmingCharacters(in: .whitespaces)
        }.joined(separator: "\n")
    }

    private static func cells(_ figure: Figure) -> [String] {
        let bound =
            switch figure.target {
            case .atLeast(let bound): "≥ \(number(bound))"
            case .atMost(let bound): "≤ \(number(bound))"
            case nil: ""
            }
        return [
            figure.row, figure.work, figure.durability?.rawValue.uppercased() ?? "–",
            "\(number(figure.value)) \(figure.unit)", bound, figure.half.map(number) ?? "",
            figure.standing?.rawValue ?? "", figure.peer, figure.detail,
        ]
    }

    /// A JSON object with the machine and all figures.
    static func json(_ machine: [(name: String, value: String)], _ figures: [Figure]) throws -> String {
        let facts = Dictionary(machine.map { ($0.name, $0.value) }) { first, _ in first }
        let rows = figures.map { figure in
            var row: [String: any Sendable] = [
                "row": figure.row, "work": figure.work, "figure": figure.value, "unit": figure.unit,
                "how": figure.detail,
                "bestPeerMeasuredElsewhere": figure.peer,
            ]
            row["synchronous"] = figure.durability?.rawValue
            switch figure.target {
            case .atLeast(let bound): row["atLeast"] = bound
            case .atMost(let bound): row["atMost"] = bound
            case nil: break
            }
            row["half"] = figure.half
            row["reached"] = figure.standing?.rawValue
            return row
        }
        let object: [String: any Sendable] = ["machine": facts, "figures": rows]
        let data = try JSONSerialization.data(withJSONObject: object, options: [.prettyPrinted, .sortedKeys])
        return String(decoding: data, as: UTF8.self)
    }

    /// A number with three significant digits, and commas between thousands.
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
