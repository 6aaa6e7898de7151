extension RegexParser {
    // MARK: After a backslash

    mutating func escaped() throws(Fault) -> RegexNode {
        let character = try consume()
        switch character {
        case "A": return .assertion(.start)
        case "Z": return .assertion(.end)
        case "z": return .assertion(.veryEnd)
        case "b": return .assertion(.wordBoundary)
        case "B": return .assertion(.noWordBoundary)
        case "X", "O": return .one(RegexSet(members: [.any]))
        case "N" where next != "{": return .one(Self.noNewline)
        case "R": return .one(RegexSet(members: [.newline]))
        default: return .one(RegexSet(members: [try escapedMember(character)]))
        }
    }

    /// Parses a member of a set, in brackets or alone.
    private mutating func escapedMember(_ character: Character) throws(Fault) -> RegexSet.Member {
        switch character {
        case "d": return .digit
        case "D": return .set(RegexSet(members: [.digit], isNegated: true))
        case "s": return .space
        case "S": return .set(RegexSet(members: [.space], isNegated: true))
        case "w": return .word
        case "W": return .set(RegexSet(members: [.word], isNegated: true))
        case "h": return .horizontalSpace
        case "H": return .set(RegexSet(members: [.horizontalSpace], isNegated: true))
        case "v": return .newline
        case "V": return .set(RegexSet(members: [.newline], isNegated: true))
        case "p", "P": return try property(isNegated: character == "P")
        default: return member(try escapedCharacter(character))
        }
    }

    private mutating func escapedCharacter(_ character: Character) throws(Fault) -> Character {
        switch character {
        case "t": return "\t"
        case "n": return "\n"
        case "r": return "\r"
        case "f": return "\u{C}"
        case "a": return "\u{7}"
        case "e": return "\u{1B}"
        case "0" where next?.isNumber != true: return "\0"
        case "x": return try scalar(digits: 2)
        case "u": return try scalar(digits: 4)
        case "U": return try scalar(digits: 8)
        default: break
        }
        // Any other letter is a back reference or unsupported.
        guard !character.isASCII || !(character.isLetter || character.isNumber) else { throw Fault() }
        return character
    }

    private mutating func scalar(digits: Int) throws(Fault) -> Character {
        var text = ""
        if consume("{") {
            text = try consume(until: "}")
        } else {
            for _ in 0..<digits { text.append(try consume()) }
        }
        guard text.utf8.count <= 8, !text.hasPrefix("+"), let value = UInt32(text, radix: 16),
            let scalar = Unicode.Scalar(value)
        else { throw Fault() }
        return Character(scalar)
    }

    /// `\p{Lu}`, `\pL`, `\p{^Lu}`.
    private mutating func property(isNegated: Bool) throws(Fault) -> RegexSet.Member {
        var name = consume("{") ? try consume(until: "}") : String(try consume())
        var isNegated = isNegated
        if name.hasPrefix("^") {
            name.removeFirst()
            isNegated.toggle()
        }
        for prefix in ["gc=", "General_Category=", "Is"] where name.hasPrefix(prefix) {
            name.removeFirst(prefix.count)
        }
        guard let property = RegexProperty(name) else { throw Fault() }
        return .set(RegexSet(members: [.property(property)], isNegated: isNegated))
    }

    // MARK: In brackets

    /// Parses the rest of a set after its opening bracket.
    mutating func set() throws(Fault) -> RegexSet {
        var set = RegexSet(members: [])
        set.isNegated = consume("^")
        var isFirst = true
        // A bracket in first position is a member.
        while isFirst || next != "]" {
            isFirst = false
            // Intersections and symmetric differences of sets are not supported.
            guard !consume("&&"), !consume("--"), !consume("~~") else { throw Fault() }
            set.members.append(try member())
        }
        guard consume("]") else { throw Fault() }
        return set
    }

    private mutating func member() throws(Fault) -> RegexSet.Member {
        if consume("[:") { return try posixClass() }
        if consume("[") { return .set(try set()) }
        guard let first = try single() else { return try escapedMember(try consume()) }
        guard next == "-", !isEndAfterHyphen else { return member(first) }
        _ = consume("-")
        guard next != "[", let last = try single() else { throw Fault() }
        guard let range = Self.range(first, last) else { throw Fault() }
        return options.ignoresCase ? .anyCaseRange(range) : .range(range)
    }

    private var isEndAfterHyphen: Bool {
        var ahead = self
        return ahead.consume("-]") || ahead.consume("--")
    }

    /// Parses a character that may begin a range; `nil` for an escape that denotes several characters.
    private mutating func single() throws(Fault) -> Character? {
        let character = try consume()
        guard character == "\\" else { return character }
        guard let escape = next, !"dDsSwWhHvVpP".contains(escape) else { return nil }
        // In brackets `\b` is not a word boundary.
        if consume("b") { return "\u{8}" }
        return try escapedCharacter(try consume())
    }

    private static func range(_ first: Character, _ last: Character) -> ClosedRange<UInt32>? {
        guard let low = RegexCharacter(first).scalar?.value, let high = RegexCharacter(last).scalar?.value, low <= high
        else { return nil }
        return low...high
    }

    /// Parses the rest of `[:alpha:]` after its opening.
    private mutating func posixClass() throws(Fault) -> RegexSet.Member {
        let isNegated = consume("^")
        let name = try consume(until: ":]")
        if name == "word" || name == "w" { return .set(RegexSet(members: [.word], isNegated: isNegated)) }
        guard let property = RegexProperty(name) else { throw Fault() }
        return .set(RegexSet(members: [.property(property)], isNegated: isNegated))
    }
}
