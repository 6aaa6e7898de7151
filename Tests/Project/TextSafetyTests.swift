import Foundation
import Testing

/// Text that another program reads (SQL, JSON, CSV, XML, Swift, shell, a terminal) is built from bytes or Unicode scalars.
///
/// A quote followed by U+0301, or preceded by U+0600, is part of a larger `Character`. Code that searches characters for the
/// quote misses it, and leaves it unescaped.
@Suite struct TextSafetyTests {
    /// Operations on characters. They also compare by Unicode's canonical equivalence.
    static let operations = [
        "replacingOccurrences(", ".replacing(", "components(separatedBy", ": Character", "[Character", "(Character(",
        " Character(",
        "for character in", "quotedDatabaseIdentifier", "as Character",
    ]

    /// Files that may use these operations, because only people read the text that they process or produce.
    static let exceptions = [
        // LIKE compares user-perceived characters.
        "Client/Predicates/Evaluation/LikePattern.swift",
        // MATCHES compares user-perceived characters.
        "Client/Predicates/Expressions/RegexCharacter.swift",
        "Client/Predicates/Expressions/RegexParser.swift",
        "Client/Predicates/Expressions/RegexParser+Sets.swift",
        // Counts the columns before a caret below a predicate.
        "Client/Predicates/Tree/DisplayWidth.swift",
        // Use single ASCII characters in messages about a predicate or an amount.
        "Client/Predicates/Format/FormatLexer.swift", "Client/Cekikapeye/Rules/Money/NumberShape.swift",
        // Reads the value of a hexadecimal digit.
        "Client/Cekikapeye/Rules/Splits/SplitJSONParser.swift",
        // Reads an address that has been checked to be ASCII.
        "Client/Transport/Address/URLParts.swift",
    ]

    /// Files and folders that build text for another program or a terminal.
    static let builders = [
        "Client/Generate/", "Client/Terminal/", "Client/CLI/", "Client/Daemon/", "Client/Cekikapeye/CLI/Output/",
        "Client/Cekikapeye/Rules/Money/BlankText.swift", "Client/Replica/", "Client/Predicates/SQL/",
        "Client/Objects/Fetching/", "Sources/RoostModel/", "Sources/RoostProtocol/", "Sources/RoostSQLite/",
        "Server/Stores/", "Server/App/LogLine.swift", "Server/App/LineLogHandler.swift", "Server/App/EventLog.swift",
        "Server/HTTP/LogText.swift",
    ]

    /// Calls that search among characters, and miss one that is followed by a combining mark. `begins(with:)`, `ends(with:)` and
    /// `parts(at:)` compare bytes instead.
    static let searches = [
        "split(separator: \"", "hasPrefix(", "hasSuffix(", "isNewline", ".isWhitespace", ".isLetter", ".isNumber }",
        "ndex(of: \"", "{ $0 == \"", "{ $0 != \"", ".first == \"", ".last == \"", "trimmingPrefix(",
    ]

    /// Lines of these files that may contain such a call, each with its reason.
    static let harmless: [(line: String, reason: String)] = [
        ("path.hasPrefix(\"/\") ? path", "the system's own reading of a path, of which no other program reads more"),
        ("{ Self.isLetter($0)", "a function on bytes"), ("Self.isLetter(first)", "a function on bytes"),
        ("words.dropFirst()).contains { $0 == \"raise\"", "whole words of ASCII, cut out of bytes"),
    ]

    @Test func nothingIsLookedForAmongCharactersWhereTextIsBuilt() {
        var used: Set<String> = []
        for file in ProjectFiles.sources where Self.builders.contains(where: { file.path.hasPrefix($0) }) {
            for (number, line) in file.lines.enumerated() {
                let code = Self.code(line)
                guard !code.contains("unicodeScalars"), !code.contains(".properties."),
                    let search = Self.searches.first(where: { code.contains($0) })
                else { continue }
                guard let harmless = Self.harmless.first(where: { code.contains($0.line) }) else {
                    Issue.record("\(file):\(number + 1) looks for \(search) among characters: \(code)")
                    continue
                }
                used.insert(harmless.line)
            }
        }
        #expect(used == Set(Self.harmless.map(\.line)))
    }

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

    /// `execute(sql:)` runs every statement of its text, so it gets constant texts only. Statements with names or values go
    /// through `executeOne`.
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

    /// Variables that hold only numbers and our own keywords.
    static let constants = ["step"]
}
