internal import RoostModel

/// A pattern of MATCHES: a regular expression that the whole text has to match.
///
/// Matching takes at most one step for each instruction of the expression and each character of the text, whatever both
/// are: all ways through the expression are followed at once, and none is tried again. So it has no back references and
/// no look-around, which need more than that.
///
///     RegexPattern("(a+)+b", [])?.matches("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac")   // false, at once
package struct RegexPattern: Sendable {
    /// A longer or deeper pattern is not read: the parser calls itself for each bracket.
    package static let bytesMax = 1000
    package static let bracketsMax = 100
    /// Instructions of a program, in which a repetition such as `{3}` stands three times.
    package static let instructionsMax = 1000

    private let program: RegexProgram
    private let usesCases: Bool
    private let options: TextOptions

    /// - Returns: `nil` for what is no regular expression, or too large.
    package init?(_ pattern: String, _ options: TextOptions) {
        let brackets = pattern.utf8.count { $0 == UInt8(ascii: "(") || $0 == UInt8(ascii: "[") }
        guard pattern.utf8.count <= Self.bytesMax, brackets <= Self.bracketsMax else { return nil }
        // Letters with accents lose them as those of the text do; what is a sign to the expression has none.
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

    /// - Parameter steps: Raised by the number of instructions that were looked at.
    package func matches(_ text: String, _ steps: inout Int) -> Bool {
        program.matches(RegexText(TextFolding.folded(text, options), withCases: usesCases), &steps)
    }

    /// Instructions of the expression.
    package var size: Int { program.instructions.count }
}
