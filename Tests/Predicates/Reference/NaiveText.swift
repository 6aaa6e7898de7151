import Foundation
import Predicates

/// The documented comparison of texts, implemented naively and independently of the product's code: the tables are
/// those of the standard library, and LIKE calls itself.
enum NaiveText {
    /// The text without the differences that the options ignore: width, then case, then accents.
    static func folded(_ text: String, _ options: TextOptions) -> String {
        guard !options.isEmpty else { return text }
        var scalars = Array(text.unicodeScalars)
        if options.contains(.widthInsensitive) { scalars = scalars.map(ofOneWidth) }
        if options.contains(.caseInsensitive) { scalars = scalars.flatMap(withoutCase) }
        if options.contains(.diacriticInsensitive) { scalars = withoutAccents(scalars) }
        return string(scalars).precomposedStringWithCanonicalMapping
    }

    /// Whether a comparison is true of two texts.
    static func holds(
        _ text: String, _ operation: PredicateComparison.Operator, _ part: String, _ options: TextOptions
    ) -> Bool {
        if operation == .like { return isLike(text, part, options) }
        let scalars = Array(folded(text, options).unicodeScalars)
        let others = Array(folded(part, options).unicodeScalars)
        switch operation {
        case .equal: return scalars == others
        case .notEqual: return scalars != others
        case .less: return scalars.lexicographicallyPrecedes(others)
        case .greaterOrEqual: return !scalars.lexicographicallyPrecedes(others)
        case .beginsWith: return scalars.starts(with: others)
        case .endsWith: return scalars.reversed().starts(with: others.reversed())
        case .contains: return scalars.indices.contains { scalars[$0...].starts(with: others) } || others.isEmpty
        default: preconditionFailure("\(operation) compares no texts")
        }
    }

    // MARK: LIKE

    private enum Part {
        case anyMany, anyOne
        case literal([Character])
    }

    /// Wildcards are recognised before folding; the text between them is folded.
    private static func isLike(_ text: String, _ pattern: String, _ options: TextOptions) -> Bool {
        var parts: [Part] = []
        var rest = Array(pattern)[...]
        while let sign = rest.popFirst() {
            switch sign {
            case "*": parts.append(.anyMany)
            case "?": parts.append(.anyOne)
            default:
                rest = [sign] + rest
                var literal = ""
                while let next = rest.first, next != "*", next != "?" {
                    rest.removeFirst()
                    literal.append(next == "\\" ? rest.popFirst() ?? next : next)
                }
                parts.append(.literal(Array(folded(literal, options))))
            }
        }
        return isLike(Array(folded(text, options))[...], parts[...])
    }

    private static func isLike(_ text: ArraySlice<Character>, _ parts: ArraySlice<Part>) -> Bool {
        let rest = parts.dropFirst()
        switch parts.first {
        case nil: return text.isEmpty
        case .anyMany: return isLike(text, rest) || (!text.isEmpty && isLike(text.dropFirst(), parts))
        case .anyOne: return !text.isEmpty && isLike(text.dropFirst(), rest)
        case .literal(let wanted): return text.starts(with: wanted) && isLike(text.dropFirst(wanted.count), rest)
        }
    }

    // MARK: Folding

    /// The text without case: ß is ss, and İ is an i with a dot.
    private static func withoutCase(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        // The Turkish dotless ı is a letter of its own.
        guard scalar != "ı" else { return [scalar] }
        return scalar.properties.lowercaseMapping.uppercased().unicodeScalars.flatMap {
            Array($0.properties.lowercaseMapping.unicodeScalars)
        }
    }

    /// The text without the accents of U+0300 to U+036F, unless they have no base letter. The marks of other scripts make other
    /// letters: が is not か.
    private static func withoutAccents(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
        var last: Unicode.Scalar = "\0"
        return string(scalars).decomposedStringWithCanonicalMapping.unicodeScalars.filter { scalar in
            if (0x300...0x36F).contains(scalar.value), last != "\0" { return false }
            last = scalar
            return true
        }
    }

    private static func ofOneWidth(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        let kana: [Unicode.Scalar: Unicode.Scalar] = ["ﾊ": "ハ", "ﾟ": "\u{309A}"]
        if let known = kana[scalar] { return known }
        return (0xFF01...0xFF5E).contains(scalar.value) ? Unicode.Scalar(scalar.value - 0xFEE0) ?? scalar : scalar
    }

    private static func string(_ scalars: [Unicode.Scalar]) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }
}
