/// A parser of regular expressions, by characters; `RegexParser+Sets` parses brackets and escapes.
struct RegexParser {
    /// The text is not a regular expression, or uses an unsupported feature, such as back references or look-around.
    struct Fault: Error {}

    private let characters: [Character]
    private var offset = 0
    /// Options that `(?i)` and `(?s)` change.
    private(set) var options: Options
    /// Whether any part of the expression ignores case.
    private(set) var usesCases: Bool

    struct Options {
        var ignoresCase: Bool
        var dotTakesNewlines = false
    }

    /// The greatest number in a repetition.
    private static let repetitionMax = 1000

    init(_ pattern: String, ignoresCase: Bool) {
        characters = Array(pattern)
        options = Options(ignoresCase: ignoresCase)
        usesCases = ignoresCase
    }

    mutating func parse() throws(Fault) -> RegexNode {
        let node = try alternatives()
        guard next == nil else { throw Fault() }
        return node
    }

    // MARK: Characters

    var next: Character? { offset < characters.count ? characters[offset] : nil }

    mutating func consume() throws(Fault) -> Character {
        guard let next else { throw Fault() }
        offset += 1
        return next
    }

    mutating func consume(_ text: String) -> Bool {
        guard characters[offset...].starts(with: text) else { return false }
        offset += text.count
        return true
    }

    /// Consumes the characters before a text, and the text.
    mutating func consume(until end: String) throws(Fault) -> String {
        var taken = ""
        while !consume(end) { taken.append(try consume()) }
        return taken
    }

    // MARK: Structure

    private mutating func alternatives() throws(Fault) -> RegexNode {
        // An option applies until the end of its group.
        let outer = options
        var nodes = [try sequence()]
        while consume("|") { nodes.append(try sequence()) }
        options = outer
        return nodes.count == 1 ? nodes[0] : .either(nodes)
    }

    private mutating func sequence() throws(Fault) -> RegexNode {
        var nodes: [RegexNode] = []
        while let next, next != "|", next != ")" {
            let isQuoted = consume("\\Q")
            if isQuoted {
                for character in try consume(until: "\\E") { nodes.append(literal(character)) }
                continue
            }
            if consume("(?#") {
                _ = try consume(until: ")")
                continue
            }
            guard let atom = try atom() else { continue }
            nodes.append(try repetition(of: atom))
        }
        return .sequence(nodes)
    }

    /// - Returns: `nil` for an option, which matches nothing itself.
    private mutating func atom() throws(Fault) -> RegexNode? {
        let character = try consume()
        switch character {
        case "(": return try group()
        case "[": return .one(try set())
        case ".": return .one(options.dotTakesNewlines ? RegexSet(members: [.any]) : Self.noNewline)
        case "^": return .assertion(.start)
        case "$": return .assertion(.end)
        case "\\": return try escaped()
        case "*", "+", "?": throw Fault()
        default: return literal(character)
        }
    }

    static let noNewline = RegexSet(members: [.newline], isNegated: true)

    func literal(_ character: Character) -> RegexNode { .one(RegexSet(members: [member(character)])) }

    func member(_ character: Character) -> RegexSet.Member {
        guard options.ignoresCase else { return .one(RegexCharacter(character)) }
        return .anyCase([RegexCharacter(character)] + RegexCharacter.cases(of: character))
    }

    private mutating func group() throws(Fault) -> RegexNode? {
        if consume("?") {
            if !consume(":") {
                if consume("P<") || consume("<") {
                    let name = try consume(until: ">")
                    // Any other character begins a look-behind.
                    guard let first = name.first, first.isLetter || first == "_" else { throw Fault() }
                } else {
                    return try optionGroup()
                }
            }
        }
        return try rest(ofGroupWith: options)
    }

    private mutating func rest(ofGroupWith inner: Options) throws(Fault) -> RegexNode {
        let outer = options
        options = inner
        let node = try alternatives()
        options = outer
        guard consume(")") else { throw Fault() }
        return node
    }

    /// Parses `(?i)`, which applies to the rest of the group, or `(?i:…)`.
    private mutating func optionGroup() throws(Fault) -> RegexNode? {
        var changed = options
        var isOn = true
        while true {
            switch try consume() {
            case "-": isOn = false
            case "i":
                changed.ignoresCase = isOn
                usesCases = usesCases || isOn
            case "s": changed.dotTakesNewlines = isOn
            case ":": return try rest(ofGroupWith: changed)
            case ")":
                options = changed
                return nil
            default: throw Fault()
            }
        }
    }

    // MARK: Repetition

    private mutating func repetition(of atom: RegexNode) throws(Fault) -> RegexNode {
        guard let (least, most) = try count() else { return atom }
        // Greedy and lazy repetition match the same entire texts.
        _ = consume("?")
        // Possessive repetition matches other texts, and a second repetition is invalid.
        guard next != "+", next != "*", next != "?" else { throw Fault() }
        if let most, most < least { throw Fault() }
        return .repeated(atom, least: least, most: most)
    }

    private mutating func count() throws(Fault) -> (least: Int, most: Int?)? {
        if consume("*") { return (0, nil) }
        if consume("+") { return (1, nil) }
        if consume("?") { return (0, 1) }
        let start = offset
        guard consume("{") else { return nil }
        let least = try number()
        let most = consume(",") ? try number() : least
        guard consume("}"), let range = range(least, most, isExact: characters[start..<offset].contains(",") == false)
        else {
            // A literal brace.
            offset = start
            return nil
        }
        return range
    }

    private func range(_ least: Int?, _ most: Int?, isExact: Bool) -> (least: Int, most: Int?)? {
        guard least != nil || most != nil && !isExact else { return nil }
        return (least ?? 0, most)
    }

    private mutating func number() throws(Fault) -> Int? {
        var value: Int?
        while let digit = next?.wholeNumberValue, next?.isASCII == true {
            let larger = (value ?? 0) * 10 + digit
            guard larger <= Self.repetitionMax else { throw Fault() }
            value = larger
            offset += 1
        }
        return value
    }
}
