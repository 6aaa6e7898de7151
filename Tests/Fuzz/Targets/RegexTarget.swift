import Predicates

/// Regular expressions of MATCHES and texts to match. An input is a pattern, a newline and a text.
struct RegexTarget: FuzzTarget {
    let samples = [
        "(a+)+b\naaaaaaaaaaaaaaaac", "[a-zé\\d]{2,5}?|(?:x|y)*$\nabc12", "(?i:straße|\\p{Lu}+)\\b.\nSTRASSE ",
        "^(?<n>[^\\s[:punct:]]+)\\u{1F600}?\\Qa.b\\E$\nwordA😀a.b", "(|a)*(b?){3}\\R\n\naab\n",
        "(?s).*\\x41[\\]\\-]\nx\nA]",
    ].map { Array($0.utf8) }

    let words = [
        "(", ")", "(?:", "(?i)", "(?<n>", "[", "]", "[^", "{2,5}", "{0,900}", "*", "+", "?", "|", ".", "\\", "\\b",
        "\\p{L}", "[:alpha:]", "\\Q", "\\E", "\u{301}", "ß", "İ", "\r\n", "a-z", "\\u{",
    ].map { Array($0.utf8) }

    /// Allows for an expression of 1,000 instructions, which may be checked against each character.
    func budget(_ bytes: Int) -> Double {
        #if DEBUG
            return 1 + Double(bytes) * 1e-3
        #else
            return 0.02 + Double(bytes) * 20e-6
        #endif
    }

    func play(_ input: [UInt8]) throws -> String {
        let end = input.firstIndex(of: UInt8(ascii: "\n")) ?? input.endIndex
        let pattern = String(decoding: input[..<end], as: UTF8.self)
        let text = String(decoding: input[end...].dropFirst(), as: UTF8.self)
        var answer = ""
        for options in [TextOptions(), .caseInsensitive, .loose] {
            guard let expression = RegexPattern(pattern, options) else {
                answer += "none "
                continue
            }
            guard expression.size <= RegexPattern.instructionsMax else {
                throw FuzzFailure("an expression has \(expression.size) instructions")
            }
            var steps = 0
            let matches = expression.matches(text, &steps)
            // Case folding may turn one letter into several.
            guard steps <= (4 * text.count + 1) * expression.size else {
                throw FuzzFailure("\(text.count) characters take \(steps) steps of \(expression.size) instructions")
            }
            answer += "\(matches) \(expression.size.bitWidth - expression.size.leadingZeroBitCount) "
        }
        return answer
    }
}
