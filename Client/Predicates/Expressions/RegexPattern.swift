internal import RoostModel

/// A pattern of MATCHES: a regular expression that must match the entire text.
///
/// Matching takes at most one step for each instruction of the expression and each character of the text: all paths
/// through the expression are followed at once, without backtracking. Back references and look-around, which need
/// backtracking, are therefore unsupported.
///
///     RegexPattern("(a+)+b", [])?.matches("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac")   // false, at once
package struct RegexPattern: Sendable {
    /// The limit of a pattern's length and nesting: the parser recurses for each bracket.
    package static let bytesMax = 1000
    package static let bracketsMax = 100
    /// The maximum number of instructions of a program, in which a repetition such as `{3}` occurs three times.
    package static let instructionsMax = 1000

    private let program: RegexProgram
    private let usesCases: Bool
    private let options: TextOptions

    /// - Returns: `nil` for a text that is not a regular expression, or too large.
    package init?(_ pattern: String, _ options: TextOptions) {
        let brackets = pattern.utf8.count { $0 == UInt8(ascii: "(") || $0 == UInt8(ascii: "[") }
        guard pattern.utf8.count <= Self.bytesMax, brackets <= Self.bracketsMax else { return nil }
        // Accented letters are folded like those of the text; metacharacters have no accents.
        let pattern = TextFolding.folded(pattern, options.intersection(.diacriticInsensitive))
        var parser = RegexParser(pattern, ignoresCase: options.contains(.caseInsensitive))
        guard let node = try? parser.parse(), let program = RegexProgram(node, Self.instructionsMax) else { return nil }
        self.program = program
        usesCases = parser.usesCases
        self.options = options.intersection(.diacriticInsensitive)
    }

    package func matches(_ text: String) -> Bool {
        var steps = 0
        return matches(text, &steps)
    }

    /// - Parameter steps: Increased by the number of instructions executed.
    package func matches(_ text: String, _ steps: inout Int) -> Bool {
        program.matches(RegexText(TextFolding.folded(text, options), withCases: usesCases), &steps)
    }

    /// Instructions of the expression.
    package var size: Int { program.instructions.count }
}
