/// A word, number, text or sign of a format text.
struct FormatToken: Hashable {
    enum Kind: Hashable {
        case name
        case keyword(FormatKeyword)
        /// `$name`
        case variable(String)
        /// `@name`, after a dot
        case function(String)
        case string(String)
        /// A whole number without its sign.
        case integer(UInt64)
        case real(Double)
        case sign(FormatSign)
        case argument(FormatArgument)
        case end
    }

    var kind: Kind
    /// The token's text; a name without its `#`.
    var text: String
    /// The token's start in bytes, from 0.
    var offset: Int
    /// The token's end in bytes.
    var end: Int

    /// The token, for messages.
    var quoted: String {
        if case .end = kind { return "the end" }
        return text.count <= 40 ? "\"\(text)\"" : "\"\(text.prefix(40))…\""
    }
}

/// The signs of the format language.
enum FormatSign: String, CaseIterable {
    case open = "("
    case close = ")"
    case openList = "{"
    case closeList = "}"
    case openOptions = "["
    case closeOptions = "]"
    case comma = ","
    case dot = "."
    case colon = ":"
    case plus = "+"
    case minus = "-"
    case times = "*"
    case divided = "/"
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case and = "&&"
    case or = "||"
    case not = "!"

    /// All spellings, the longest first.
    static let spellings: [(text: [UInt8], sign: FormatSign)] =
        (allCases.map { ($0.rawValue, $0) } + [
            ("=", .equal), ("<>", .notEqual), ("=<", .lessOrEqual), ("=>", .greaterOrEqual),
        ]).map { (Array($0.0.utf8), $0.1) }.sorted { $0.0.count > $1.0.count }
}

/// The kind of a `%` argument.
enum FormatArgument: Hashable {
    /// `%@`
    case value
    /// `%K`
    case path
    /// `%d`, `%ld` and the like
    case integer
    /// `%f` and the like
    case real
}

/// The words that mean something in the format language, in any case; a property of such a name is written `#name`.
enum FormatKeyword: String, CaseIterable {
    case and, or, not, any, some, all, none
    case between, beginsWith = "beginswith", endsWith = "endswith", contains, like, matches
    case isIn = "in"
    case truePredicate = "truepredicate", falsePredicate = "falsepredicate"
    case null, isNil = "nil"
    case isTrue = "true", isFalse = "false", yes, no
    case record = "self"
    case cast, subquery
}
