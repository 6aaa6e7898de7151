/// A recursive-descent parser of the format language.
///
/// From loose to tight: `OR`, `AND`, `NOT`, comparison, `+ -`, `* /`, sign. A parenthesis may hold a predicate or a term; what
/// it holds is known only at its end. Every level therefore returns either, and no part is parsed twice.
struct FormatParser {
    /// The result of parsing a part of the text.
    enum Part {
        case node(PredicateNode)
        case term(PredicateTerm)
    }

    let text: String
    let tokens: [FormatToken]
    var index = 0
    private var arguments: [PredicateValue]
    private var argumentsUsed = 0
    private var depth = 0

    static func parse(_ text: String, _ arguments: [PredicateValue]) throws(FetchPredicateError) -> PredicateNode {
        let tokens = try FormatLexer.tokens(of: text)
        var parser = FormatParser(text: text, tokens: tokens, arguments: arguments)
        let part = try parser.disjunction()
        let node = try parser.node(part)
        guard case .end = parser.token.kind else {
            throw parser.unexpected(expected: "AND, OR or the end", among: FormatSuggestion.conjunctions)
        }
        guard parser.argumentsUsed == arguments.count else {
            throw parser.fail(
                .argument,
                "The predicate got \(arguments.count) arguments and uses \(parser.argumentsUsed). "
                    + "Leave out the others, or write a %@ for each.", at: parser.token)
        }
        return node
    }

    /// Parses a single key path, the form of an argument of `%K`.
    static func path(_ text: String) throws(FetchPredicateError) -> PredicateTerm {
        var parser = FormatParser(text: text, tokens: try FormatLexer.tokens(of: text), arguments: [])
        let path = try parser.path(root: .record)
        guard case .end = parser.token.kind else { throw parser.unexpected(expected: "the end of the key path") }
        return path
    }

    private init(text: String, tokens: [FormatToken], arguments: [PredicateValue]) {
        self.text = text
        self.tokens = tokens
        self.arguments = arguments
    }

    // MARK: Tokens

    var token: FormatToken { tokens[index] }
    var location: FormatLocation { FormatLocation(text: text, offset: token.offset) }

    mutating func advance() {
        if index < tokens.count - 1 { index += 1 }
    }

    mutating func consume(_ sign: FormatSign) -> Bool {
        guard token.kind == .sign(sign) else { return false }
        advance()
        return true
    }

    mutating func consume(_ keyword: FormatKeyword) -> Bool {
        guard token.kind == .keyword(keyword) else { return false }
        advance()
        return true
    }

    mutating func expect(_ sign: FormatSign, _ why: String) throws(FetchPredicateError) {
        guard consume(sign) else {
            throw unexpected(expected: "\"\(sign.rawValue)\" \(why)", among: FormatSuggestion.conjunctions)
        }
    }

    func fail(
        _ code: FetchPredicateError.Code, _ message: String, at token: FormatToken
    ) -> FetchPredicateError {
        FetchPredicateError(code, message, at: FormatLocation(text: text, offset: token.offset))
    }

    /// - Parameter words: The words of the language that a name here may stand for.
    func unexpected(expected: String, among words: [String] = []) -> FetchPredicateError {
        let cure = token.kind == .name ? FormatSuggestion.cure(token.text, among: words) : ""
        return fail(.syntax, "Got \(token.quoted), expected \(expected).\(cure)", at: token)
    }

    mutating func argument() throws(FetchPredicateError) -> PredicateValue {
        guard argumentsUsed < arguments.count else {
            throw fail(
                .argument, "\(token.text) has no argument: there are \(arguments.count). Pass one for each.", at: token)
        }
        argumentsUsed += 1
        return arguments[argumentsUsed - 1]
    }

    /// Parses one nesting level deeper.
    mutating func nested<Result>(
        _ read: (inout FormatParser) throws(FetchPredicateError) -> Result
    ) throws(FetchPredicateError) -> Result {
        guard depth < FetchPredicate.formatDepthMax else { throw tooDeep() }
        depth += 1
        defer { depth -= 1 }
        return try read(&self)
    }

    func tooDeep() -> FetchPredicateError {
        fail(
            .tooComplex,
            "The predicate is nested deeper than \(FetchPredicate.formatDepthMax) levels. Write it flatter.",
            at: token)
    }

    // MARK: Logic

    mutating func disjunction() throws(FetchPredicateError) -> Part {
        let first = try conjunction()
        guard token.kind == .keyword(.or) || token.kind == .sign(.or) else { return first }
        var nodes = [try node(first)]
        while consume(.or as FormatKeyword) || consume(.or as FormatSign) {
            nodes.append(try node(try conjunction()))
        }
        return .node(.disjunction(nodes))
    }

    private mutating func conjunction() throws(FetchPredicateError) -> Part {
        let first = try negation()
        guard token.kind == .keyword(.and) || token.kind == .sign(.and) else { return first }
        var nodes = [try node(first)]
        while consume(.and as FormatKeyword) || consume(.and as FormatSign) {
            nodes.append(try node(try negation()))
        }
        return .node(.conjunction(nodes))
    }

    private mutating func negation() throws(FetchPredicateError) -> Part {
        guard consume(.not as FormatKeyword) || consume(.not as FormatSign) else { return try comparison() }
        return .node(.not(try node(try nested { parser throws(FetchPredicateError) in try parser.negation() })))
    }

    /// Converts a part to a node where a predicate is required.
    func node(_ part: Part) throws(FetchPredicateError) -> PredicateNode {
        switch part {
        case .node(let node): return node
        case .term(let term):
            guard case .end = token.kind else { throw noComparison(after: term) }
            let written = FormatWriter.text(of: term)
            let shown = written.count <= 40 ? written : "this"
            throw fail(
                .syntax,
                "There is no comparison after \(shown). Write what it has to be, such as \(shown) == true.", at: token)
        }
    }

    func term(_ part: Part, _ start: FormatToken) throws(FetchPredicateError) -> PredicateTerm {
        if case .term(let term) = part { return term }
        throw fail(.syntax, "Got a whole predicate, expected a value or a key path.", at: start)
    }

    // MARK: Comparison

    private mutating func comparison() throws(FetchPredicateError) -> Part {
        let start = token
        let modifier = modifier()
        let first = try sum()
        guard let (operation, isNegated) = try comparisonOperator() else {
            if case .term(let term) = first, modifier != nil || token.kind == .name { throw noComparison(after: term) }
            if modifier != nil { throw unexpected(expected: "a comparison such as == or BEGINSWITH") }
            return first
        }
        let left = try term(first, start)
        let options = try textOptions(operation)
        let rightStart = token
        let right = try term(try sum(), rightStart)
        let comparison = PredicateComparison(
            left, operation, right, modifier: modifier ?? .direct, options: options,
            location: FormatLocation(text: text, offset: start.offset))
        return .node(isNegated ? .not(.comparison(comparison)) : .comparison(comparison))
    }

    /// The error for anything but an operator after a term.
    private func noComparison(after term: PredicateTerm) -> FetchPredicateError {
        let error = unexpected(
            expected: "a comparison such as == or BEGINSWITH", among: FormatSuggestion.operators)
        guard case .path(let path) = term, path.names.count == 1, let location = path.location,
            !error.message.contains("Did you mean")
        else { return error }
        // A misspelt NOT, ANY or SUBQUERY reads as a property.
        let words =
            switch token.kind {
            case .name: FormatSuggestion.prefixes
            case .sign(.open): FormatSuggestion.functions
            default: [String]()
            }
        let cure = FormatSuggestion.cure(path.names[0], among: words)
        if cure.isEmpty { return error }
        return FetchPredicateError(.syntax, "There is no comparison after \"\(path.names[0])\".\(cure)", at: location)
    }

    private mutating func modifier() -> PredicateComparison.Modifier? {
        guard case .keyword(let keyword) = token.kind else { return nil }
        let modifier: PredicateComparison.Modifier
        switch keyword {
        case .any, .some: modifier = .any
        case .all: modifier = .all
        case .none: modifier = .none
        default: return nil
        }
        advance()
        return modifier
    }

    /// Parses an operator, if one follows; `NOT IN` and similar forms are negated.
    private mutating func comparisonOperator() throws(FetchPredicateError) -> (PredicateComparison.Operator, Bool)? {
        if token.kind == .keyword(.not) {
            advance()
            guard let operation = operation(token.kind), operation.isWord else {
                throw unexpected(
                    expected: "IN, LIKE or another such word after NOT", among: FormatSuggestion.operators)
            }
            advance()
            return (operation, true)
        }
        guard let operation = operation(token.kind) else { return nil }
        advance()
        return (operation, false)
    }

    private func operation(_ kind: FormatToken.Kind) -> PredicateComparison.Operator? {
        switch kind {
        case .sign(let sign): PredicateComparison.Operator(rawValue: sign.rawValue)
        case .keyword(let keyword):
            keyword == .isIn ? .isIn : PredicateComparison.Operator(rawValue: keyword.rawValue.uppercased())
        default: nil
        }
    }

    /// Parses options directly after the operator: `[c]`, `[d]`, `[w]` or several, such as `[cd]`.
    private mutating func textOptions(
        _ operation: PredicateComparison.Operator
    ) throws(FetchPredicateError) -> TextOptions {
        guard consume(.openOptions) else { return [] }
        var options: TextOptions = []
        guard token.kind == .name else { throw unexpected(expected: "c, d, w or several") }
        for letter in token.text.lowercased() {
            switch letter {
            case "c": options.insert(.caseInsensitive)
            case "d": options.insert(.diacriticInsensitive)
            case "w": options.insert(.widthInsensitive)
            default:
                throw unexpected(expected: "c (ignoring case), d (ignoring accents), w (ignoring width) or several")
            }
        }
        advance()
        try expect(.closeOptions, "after the options")
        return options
    }
}

extension PredicateComparison.Operator {
    /// Whether the operator is a word.
    var isWord: Bool { rawValue.first?.isLetter == true }
}
