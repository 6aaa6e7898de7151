import Foundation

/// The tables of `Client/Session/SessionTable.md`.
struct SessionTable {
    struct Cell: Hashable, Codable, Sendable, CustomStringConvertible {
        var event: String
        var state: String
        var expected: String

        var description: String { "\(event) in \(state)" }
    }

    let cells: [Cell]

    /// Reads the table under the heading `## <section>`.
    init(section: String) throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Client/Session/SessionTable.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let lines = text.components(separatedBy: "\n").drop { !$0.hasPrefix("## \(section)") }.dropFirst()
        let rows = lines.prefix { !$0.hasPrefix("## ") }.filter { $0.hasPrefix("|") }.map(Self.columns)
        let states = rows.first?.dropFirst() ?? []
        cells = rows.dropFirst(2).flatMap { row in
            zip(states, row.dropFirst()).map { Cell(event: row.first ?? "", state: $0, expected: $1) }
        }
    }

    private static func columns(_ line: String) -> [String] {
        line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
}
