extension Split {
    /// The maximum length of the text, in bytes: 1000 people on both sides with space for unknown keys.
    package static let jsonBytesMax = 256 * 1024

    /// Parses the text form.
    ///
    /// The keys `rule`, `mode`, `payers` and `shares` are required, and `rest` is optional. Other keys are kept and written back.
    ///
    /// - Throws: ``SplitError`` with the key at fault.
    package init(json text: String) throws(SplitError) {
        guard text.utf8.count <= Self.jsonBytesMax else { throw .tooLong(limit: Self.jsonBytesMax) }
        let value: SplitJSON
        do { value = try SplitJSONParser.parse(text) } catch {
            throw .notJSON(byte: error.byte, expected: error.expected)
        }
        guard case .object(var members) = value else { throw .notJSON(byte: 0, expected: "an object") }

        guard let rule = try Self.take("rule", from: &members).integer else {
            throw .wrongType(key: "rule", expected: "an integer")
        }
        guard rule == Self.rule else { throw .unknownRule(rule) }
        guard case .string(let name) = try Self.take("mode", from: &members) else {
            throw .wrongType(key: "mode", expected: "a string")
        }
        guard name.text.utf8.count <= 32, let mode = SplitMode(rawValue: name.text) else {
            throw .unknownMode(name.text)
        }
        let payers = try Self.numbers(try Self.take("payers", from: &members), key: "payers")
        let shares = try Self.numbers(try Self.take("shares", from: &members), key: "shares")
        let rest = try members.removeValue(forKey: "rest").map(Self.people) ?? []
        try self.init(mode: mode, payers: payers, shares: shares, rest: rest, unknown: members)
    }

    /// The canonical text of this split: sorted keys, no spaces. Equal splits have equal texts.
    package var json: String {
        var members = unknown
        members["rule"] = .number(String(Self.rule))
        members["mode"] = .string(ExactText(mode.rawValue))
        members["payers"] = Self.object(payers)
        members["shares"] = Self.object(shares)
        if !rest.isEmpty { members["rest"] = .array(rest.sorted().map { .string(ExactText($0.text)) }) }
        return SplitJSON.object(members).canonicalText
    }

    private static func take(_ key: ExactText, from members: inout [ExactText: SplitJSON]) throws(SplitError)
        -> SplitJSON
    {
        guard let value = members.removeValue(forKey: key) else { throw .missingKey(key.text) }
        return value
    }

    private static func numbers(_ value: SplitJSON, key: String) throws(SplitError) -> [PersonID: Int64] {
        guard case .object(let members) = value else { throw .wrongType(key: key, expected: "an object") }
        var numbers: [PersonID: Int64] = [:]
        for (text, member) in members.sorted(by: { $0.key < $1.key }) {
            guard let number = member.integer else { throw .wrongType(key: key, expected: "integers") }
            numbers[try person(text.text)] = number
        }
        return numbers
    }

    private static func people(_ value: SplitJSON) throws(SplitError) -> Set<PersonID> {
        guard case .array(let values) = value else { throw .wrongType(key: "rest", expected: "an array") }
        var people: Set<PersonID> = []
        for value in values {
            guard case .string(let text) = value else { throw .wrongType(key: "rest", expected: "strings") }
            let person = try person(text.text)
            guard people.insert(person).inserted else { throw .personTwice(person) }
        }
        return people
    }

    private static func person(_ text: String) throws(SplitError) -> PersonID {
        do { return try PersonID(text) } catch { throw .badPerson(error) }
    }

    private static func object(_ numbers: [PersonID: Int64]) -> SplitJSON {
        .object(Dictionary(uniqueKeysWithValues: numbers.map { (ExactText($0.key.text), .number(String($0.value))) }))
    }
}
