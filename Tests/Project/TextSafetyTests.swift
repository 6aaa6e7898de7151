import Foundation
import Testing

/// Text that another program reads (SQL, JSON, CSV, XML, Swift, shell, a terminal) is built of bytes or Unicode scalars.
///
/// A quote followed by U+0301, or behind U+0600, is part of a larger `Character`: code that looks for the quote among characters misses
/// it, and leaves it unescaped.
@Suite struct TextSafetyTests {
    /// Operations on characters, which also compare by Unicode's canonical equivalence.
    static let operations = [
        "replacingOccurrences(", ".replacing(", "components(separatedBy", ": Character", "[Character", "(Character(",
        " Character(",
        "for character in", "quotedDatabaseIdentifier", "as Character",
    ]

    /// Files that may use them: their text is read by or shown to people, and no program reads it again.
    static let exceptions = [
        // LIKE compares what people see as one character.
        "Client/Objects/Predicates/Evaluation/LikePattern.swift",
        // So does MATCHES.
        "Client/Objects/Predicates/Expressions/RegexCharacter.swift",
        "Client/Objects/Predicates/Expressions/RegexParser.swift",
        "Client/Objects/Predicates/Expressions/RegexParser+Sets.swift",
        // Columns of a caret below a predicate.
        "Client/Objects/Predicates/Tree/DisplayWidth.swift",
        // Single ASCII characters in messages about a predicate or an amount.
        "Client/Objects/Predicates/Format/FormatLexer.swift", "Client/Cekikapeye/Rules/Money/NumberShape.swift",
        // The value of a hexadecimal digit.
        "Client/Cekikapeye/Rules/Splits/JSONParser.swift",
        // An address of ASCII alone, which is checked before.
        "Client/Transport/Address/URLParts.swift",
    ]

    static func code(_ line: Substring) -> Substring {
        line.trimmingPrefix(while: \.isWhitespace).hasPrefix("//") ? "" : line
    }

    @Test(arguments: operations) func noSourceWorksOnCharacters(_ operation: String) {
        for file in ProjectFiles.sources where !Self.exceptions.contains(file.path) {
            for (number, line) in file.lines.enumerated() {
                #expect(!Self.code(line).contains(operation), "\(file):\(number + 1) works on characters: \(line)")
            }
        }
    }

    @Test(arguments: exceptions) func anExceptionIsNeeded(_ path: String) {
        let lines = ProjectFiles.read(path).lines.map(Self.code)
        #expect(lines.contains { line in Self.operations.contains { line.contains($0) } }, "\(path)")
    }

    /// `execute(sql:)` runs every statement of its text. What is made of names or values goes through `executeOne`.
    @Test func scriptsAreConstant() {
        for file in ProjectFiles.sources {
            let text = file.lines.map(Self.code).joined(separator: "\n")
            for match in text.matches(of: /execute\(\s*sql:\s*("""[\s\S]*?"""|"[^\n]*"|[A-Za-z.]+)/) {
                let argument = match.output.1
                let isScript =
                    argument.hasPrefix("\"")
                    ? !argument.contains("\\(") : argument.contains(/^(TableSQL|SQLiteLayout)\.[a-zA-Z]+$/)
                #expect(isScript || Self.constants.contains(String(argument)), "\(file): \(argument)")
            }
        }
    }

    /// Numbers and words of our own alone.
    static let constants = ["step"]
}
