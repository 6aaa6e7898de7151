import Foundation
import Testing

/// Statements get values by binding, and names and literals from `SQLName` and from types that have a quoted form.
///
/// These tests check the sources. `Replica/SQLTraceTests` checks the statements that SQLite receives.
@Suite struct SQLTextTests {
    static let sources = ProjectFiles.sources.filter { file in
        ["Client/Replica/", "Client/Objects/", "Client/Predicates/", "Server/Stores/"].contains {
            file.path.hasPrefix($0)
        }
    }

    /// Returns the lines of a file that are code and contain a part of a statement.
    private func statements(_ file: ProjectFiles.File) -> [(number: Int, line: Substring)] {
        file.lines.enumerated().map { (number: $0.offset + 1, line: TextSafetyTests.code($0.element)) }.filter {
            $0.line.contains(
                /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE (UNIQUE )?(TABLE|INDEX|TRIGGER)|ALTER TABLE|DROP|WHERE|PRAGMA|FROM|SET)\s/
            )
        }
    }

    /// A text between single quotes is a value, so it has to be bound or made by `SQLName.literal`. Hexadecimal digits are safe.
    @Test func noStatementHasAValueBetweenQuotes() {
        for file in Self.sources {
            for (number, line) in file.lines.enumerated() {
                let code = TextSafetyTests.code(line).replacing(/[xX]'\\\(/, with: "")
                #expect(!code.contains(#"'\("#), "\(file):\(number + 1) has a value between quotes: \(line)")
            }
        }
    }

    /// A name between double quotes has to be made by `SQLName.quoted`, which doubles double quotes inside the name.
    @Test func noStatementQuotesANameByItself() {
        for file in Self.sources {
            for (number, line) in statements(file) {
                #expect(!line.contains(#"\"\("#), "\(file):\(number) quotes a name by itself: \(line)")
            }
        }
    }

    /// Files whose statements have bare names, all of them constant names of `roost_control` columns.
    static let constants = ["Client/Replica/Operations/Replica+Sealing.swift", "Client/Replica/Tables/TableSQL.swift"]

    /// Statements contain the quoted form of a table's, a column's or an attribute's name, never the name itself.
    @Test func noStatementHasABareName() {
        for file in Self.sources where !Self.constants.contains(file.path) {
            for (number, line) in statements(file) {
                #expect(
                    !line.contains(/\\\([A-Za-z.\[\]0-9$]*\.name(\.lowercased\(\))?\)/),
                    "\(file):\(number) has a bare name: \(line)")
            }
        }
    }
}
