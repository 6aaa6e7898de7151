extension FormatParser {
    // MARK: Arithmetic

    mutating func sum() throws(FetchPredicateError) -> Part {
        try calculation([.plus: .add, .minus: .subtract]) { parser throws(FetchPredicateError) in
            try parser.product()
        }
    }

    private mutating func product() throws(FetchPredicateError) -> Part {
        try calculation([.times: .multiply, .divided: .divide]) { parser throws(FetchPredicateError) in
            try parser.signed()
        }
    }

    /// Parses operands separated by any of the operators, from left to right.
    private mutating func calculation(
        _ operators: [FormatSign: PredicateTerm.ArithmeticOperator],
        _ operand: (inout FormatParser) throws(FetchPredicateError) -> Part
    ) throws(FetchPredicateError) -> Part {
        let start = token
        var part = try operand(&self)
        var links = 0
        while case .sign(let sign) = token.kind, let operation = operators[sign] {
            // Each operator makes the tree one level deeper.
            guard links < FetchPredicate.formatDepthMax else { throw tooDeep() }
            links += 1
            let left = try term(part, start)
            advance()
            let rightStart = token
            part = .term(.arithmetic(operation, left, try term(try operand(&self), rightStart)))
        }
        return part
    }

    private mutating func signed() throws(FetchPredicateError) -> Part {
        guard consume(.minus) else { return try primary() }
        switch token.kind {
        case .integer(let magnitude):
            // The sign is parsed with the digits, since `Int64.min` has no positive counterpart.
            guard magnitude <= 1 << 63 else { throw tooLarge() }
            advance()
            return .term(.constant(.integer(Int64(truncatingIfNeeded: 0 &- magnitude))))
        case .real(let number):
            advance()
            return .term(.constant(.double(-number)))
        default:
            let start = token
            let part = try nested { parser throws(FetchPredicateError) in try parser.signed() }
            return .term(.arithmetic(.subtract, .constant(.integer(0)), try term(part, start)))
        }
    }

    private func tooLarge() -> FetchPredicateError {
        fail(.syntax, "The number does not fit into 64 bits with a sign.", at: token)
    }

    // MARK: Primaries

    private mutating func primary() throws(FetchPredicateError) -> Part {
        switch token.kind {
        case .sign(.open): return try parenthesis()
        case .sign(.openList): return .term(try list())
        case .string(let text): return constant(.string(text))
        case .integer(let magnitude):
            guard let number = Int64(exactly: magnitude) else { throw tooLarge() }
            return constant(.integer(number))
        case .real(let number): return constant(.double(number))
        case .variable(let name):
            let location = location
            advance()
            return .term(try path(PredicatePath(root: .variable(name), []), after: location))
        case .name where tokens[index + 1].kind == .sign(.colon): return .term(try textFunction())
        case .name: return .term(try path(root: .record))
        case .argument(let argument): return .term(try value(of: argument))
        case .keyword(let keyword): return try primary(keyword)
        default: throw unexpected(expected: "a key path, a value or \"(\"")
        }
    }

    private mutating func constant(_ value: PredicateValue) -> Part {
        advance()
        return .term(.constant(value))
    }

    private mutating func primary(_ keyword: FormatKeyword) throws(FetchPredicateError) -> Part {
        switch keyword {
        case .truePredicate, .falsePredicate:
            advance()
            return .node(.constant(keyword == .truePredicate))
        case .null, .isNil: return constant(.null)
        case .isTrue, .yes: return constant(.boolean(true))
        case .isFalse, .no: return constant(.boolean(false))
        case .record:
            return .term(try path(root: .record))
        case .cast: return .term(try cast())
        case .subquery: return .term(try subquery())
        default:
            throw fail(
                .syntax,
                "Got \(token.quoted), expected a key path or a value. A property of that name is written #\(token.text).",
                at: token)
        }
    }

    private mutating func parenthesis() throws(FetchPredicateError) -> Part {
        advance()
        let part = try nested { parser throws(FetchPredicateError) in try parser.disjunction() }
        try expect(.close, "to close the parenthesis")
        return part
    }

    private mutating func list() throws(FetchPredicateError) -> PredicateTerm {
        advance()
        var terms: [PredicateTerm] = []
        if consume(.closeList) { return .list(of: terms) }
        repeat {
            let start = token
            let part = try nested { parser throws(FetchPredicateError) in try parser.sum() }
            terms.append(try term(part, start))
        } while consume(.comma)
        try expect(.closeList, "to close the list")
        return .list(of: terms)
    }

    private mutating func value(of argument: FormatArgument) throws(FetchPredicateError) -> PredicateTerm {
        let written = token
        let value = try self.argument()
        switch (argument, value) {
        case (.value, _), (.integer, .integer), (.real, .double): break
        case (.real, .integer(let number)):
            advance()
            return .constant(.double(Double(number)))
        case (.path, .string(let text)): return try keyPath(text)
        // A command line passes arguments as texts.
        case (.integer, .string(let text)) where Int64(text) != nil: return number(Int64(text).predicateValue)
        case (.real, .string(let text)) where Double(text)?.isFinite == true:
            return number(Double(text).predicateValue)
        default:
            let expected: String =
                switch argument {
                case .path: "the text of a key path"
                case .integer: "a whole number"
                case .value, .real: "a number"
                }
            throw fail(
                .argument, "\(written.text) got \(value.kindName), expected \(expected). Write %@ for other values.",
                at: written)
        }
        advance()
        return .constant(value)
    }

    private mutating func number(_ value: PredicateValue) -> PredicateTerm {
        advance()
        return .constant(value)
    }

    /// Parses `%K`: the argument is a path, which may continue after it.
    private mutating func keyPath(_ text: String) throws(FetchPredicateError) -> PredicateTerm {
        let location = location
        let term: PredicateTerm
        do {
            term = try FormatParser.path(text)
        } catch {
            throw FetchPredicateError(
                .argument, "%K got \"\(text.prefix(60))\", expected a key path: \(error.message)", at: location)
        }
        advance()
        guard case .path(let start) = term else { return term }
        return try path(start, after: location)
    }

    // MARK: Paths

    /// Parses a path that starts with a name.
    mutating func path(root: PredicatePath.Root) throws(FetchPredicateError) -> PredicateTerm {
        let location = location
        var start = PredicatePath(root: root, [])
        if case .keyword(.record) = token.kind {
            advance()
        } else {
            start.names.append(try name())
        }
        return try path(start, after: location)
    }

    /// Parses the rest of a path after its root or first names: more names, elements, and a function at the end.
    private mutating func path(
        _ start: PredicatePath, after location: FormatLocation
    ) throws(FetchPredicateError) -> PredicateTerm {
        var path = start
        path.location = location
        while true {
            if consume(.dot) {
                if case .function(let function) = token.kind { return try self.function(function, of: path) }
                path.names.append(try name())
            } else if consume(.openOptions) {
                if try element(of: &path) { return .count(path) }
            } else {
                return .path(path)
            }
        }
    }

    /// Parses `FIRST]`, `LAST]` or `SIZE]` after a to-many relationship.
    ///
    /// - Returns: Whether it was `SIZE`, after which the path ends.
    private mutating func element(of path: inout PredicatePath) throws(FetchPredicateError) -> Bool {
        let written = token
        let word = written.text.uppercased()
        let element = PredicatePath.Element(rawValue: word)
        guard element != nil || word == "SIZE" else {
            throw unexpected(expected: "FIRST, LAST or SIZE: no other place of a relationship has a name")
        }
        guard !path.names.isEmpty, path.elements[path.names.count - 1] == nil else {
            throw fail(.syntax, "[\(word)] needs a to-many relationship before it.", at: written)
        }
        advance()
        try expect(.closeOptions, "after \(word)")
        path.elements[path.names.count - 1] = element
        return element == nil
    }

    private mutating func name() throws(FetchPredicateError) -> String {
        switch token.kind {
        case .name, .keyword:
            let name = token.text
            advance()
            return name
        default: throw unexpected(expected: "a property's name")
        }
    }

    /// Parses `@count`, or another function with its path.
    private mutating func function(
        _ name: String, of path: PredicatePath
    ) throws(FetchPredicateError) -> PredicateTerm {
        let written = token
        guard !path.names.isEmpty else {
            throw fail(.syntax, "\(written.quoted) needs a to-many relationship before it.", at: written)
        }
        advance()
        if name.lowercased() == "count" { return .count(path) }
        guard let function = PredicateTerm.Function(rawValue: name.lowercased()) else {
            throw fail(
                .syntax, "There is no \(written.quoted). There are @count, @sum, @avg, @min and @max.", at: written)
        }
        var names: [String] = []
        while consume(.dot) { names.append(try self.name()) }
        guard !names.isEmpty else {
            let relationship = path.names.joined(separator: ".")
            throw fail(
                .syntax,
                "\(written.quoted) must say of what. Write it between the relationship and the attribute: "
                    + "\(relationship).\(written.text).amount.", at: written)
        }
        return .aggregate(function, path, of: names)
    }

    // MARK: Functions

    /// Parses `uppercase:(text)` and the other functions of a text.
    private mutating func textFunction() throws(FetchPredicateError) -> PredicateTerm {
        let written = token
        guard let function = PredicateTerm.TextFunction(rawValue: written.text.lowercased()) else {
            let names = PredicateTerm.TextFunction.allCases.map { "\($0.rawValue):" }
            throw fail(
                .syntax,
                "There is no function \"\(written.text):\". There are \(names.joined(separator: ", ")), as in uppercase:(name).",
                at: written)
        }
        advance()
        advance()
        try expect(.open, "after \(written.text):")
        let start = token
        let part = try nested { parser throws(FetchPredicateError) in try parser.sum() }
        let term = try term(part, start)
        try expect(.close, "to close \(written.text):(…)")
        return .text(function, term)
    }

    private mutating func cast() throws(FetchPredicateError) -> PredicateTerm {
        let start = token
        advance()
        try expect(.open, "after CAST")
        let valueStart = token
        let part = try nested { parser throws(FetchPredicateError) in try parser.sum() }
        guard case .constant(let value) = try term(part, valueStart) else {
            throw fail(.syntax, "CAST takes a value, such as \"2026-07-14\".", at: valueStart)
        }
        try expect(.comma, "and the type")
        guard case .string(let type) = token.kind else { throw unexpected(expected: "a type in quotes") }
        guard let cast = FormatCast(typeName: type) else {
            throw fail(.syntax, "There is no type \(token.quoted). \(FormatCast.choices)", at: token)
        }
        advance()
        try expect(.close, "to close CAST")
        guard let result = cast.value(of: value) else {
            throw fail(.syntax, "The value is not \(cast.expected).", at: start)
        }
        return .constant(result)
    }

    private mutating func subquery() throws(FetchPredicateError) -> PredicateTerm {
        advance()
        try expect(.open, "after SUBQUERY")
        let pathStart = token
        let part = try nested { parser throws(FetchPredicateError) in try parser.sum() }
        guard case .path(let path) = try term(part, pathStart) else {
            throw fail(.syntax, "SUBQUERY takes the path of a to-many relationship first.", at: pathStart)
        }
        try expect(.comma, "and a variable such as $x")
        guard case .variable(let variable) = token.kind else { throw unexpected(expected: "a variable such as $x") }
        advance()
        try expect(.comma, "and a predicate about $\(variable)")
        let start = token
        let inner = try nested { parser throws(FetchPredicateError) in try parser.disjunction() }
        let node = try node(inner, start, in: "SUBQUERY")
        try expect(.close, "to close SUBQUERY")
        guard consume(.dot), token.kind == .function("count") else {
            throw unexpected(expected: ".@count after SUBQUERY(…)")
        }
        advance()
        return .subquery(path, variable: variable, node)
    }

    private func node(
        _ part: Part, _ start: FormatToken, in location: String
    ) throws(FetchPredicateError) -> PredicateNode {
        if case .node(let node) = part { return node }
        throw fail(.syntax, "The last part of \(location) must be a predicate.", at: start)
    }
}
