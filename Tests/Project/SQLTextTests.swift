import Foundation
import Testing

/// Statements get their values by binding, and their names and literals from `SQLName` and from the types that have a quoted form.
///
/// `Replica/SQLTraceTests` looks at the statements as SQLite is given them; this looks at the sources.
@Suite struct SQLTextTests {
    static let sources = ProjectFiles.sources.filter { file in
        ["Client/Replica/", "Client/Objects/", "Client/Predicates/", "Server/Stores/"].contains {
            file.path.hasPrefix($0)
        }
    }

    /// The lines of a file that are code and have a part of a statement.
    private func statements(_ file: ProjectFiles.File) -> [(number: Int, line: Substring)] {
        file.lines.enumerated().map { (number: $0.offset + 1, line: TextSafetyTests.code($0.element)) }.filter {
            $0.line.contains(
                /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE (UNIQUE )?(TABLE|INDEX|TRIGGER)|ALTER TABLE|DROP|WHERE|PRAGMA|FROM|SET)\s/
            )
        }
    }

    /// A text between single quotes is a value: it is bound, or `SQLName.literal` makes it. Hexadecimal digits are safe.
    @Test func noStatementHasAValueBetweenQuotes() {
        for file in Self.sources {
            for (number, line) in file.lines.enumerated() {
                let code = TextSafetyTests.code(line).replacing(/[xX]'\\\(/, with: "")
                #expect(!code.contains(#"'\("#), "\(file):\(number + 1) has a value between quotes: \(line)")
            }
        }
    }

    /// A name between double quotes is made by `SQLName.quoted`, which doubles those inside.
    @Test func noStatementQuotesANameByItself() {
        for file in Self.sources {
            for (number, line) in statements(file) {
                #expect(!line.contains(#"\"\("#), "\(file):\(number) quotes a name by itself: \(line)")
            }
        }
    }

    /// The columns of `roost_control`, whose names are constants.
    static let constants = ["Client/Replica/Operations/Replica+Sealing.swift", "Client/Replica/Tables/TableSQL.swift"]

    /// The name of a table, a column or an attribute as it is, and not its quoted form.
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
