internal import RoostModel

/// The members of a JSON object that a call takes, read one by one. A member that nobody has read is an error.
///
///     var members = try Members("roost_get", json, length)
///     let entity = try members.requiredText("entity")
///     try members.end()
struct Members {
    /// The maximum length of a text, in bytes.
    static let bytesMax = 64 << 20
    /// The maximum memory of the values of a text, in bytes.
    private static let footprintMax = 1 << 30
    /// The maximum nesting: that of a JSON attribute, and of the objects around it.
    private static let depthMax = JSONText.depthMax + 8

    /// The location of the object, for messages.
    let place: String
    private var rest: [JSONValue.Member]
    private var known: [String] = []

    /// Reads the text that a call was given.
    init(_ function: String, _ json: UnsafePointer<CChar>?, _ length: Int) throws(CallError) {
        guard json != nil || length == 0 else {
            throw CallError(
                .misuse, "nullPointer", "Cannot read the JSON of \(function): it is NULL, with a length.")
        }
        guard (0...Self.bytesMax).contains(length) else {
            throw CallError(
                .misuse, "badLength",
                "Cannot read the JSON of \(function): its length is \(UInt(bitPattern: length)) bytes, the limit is \(Self.bytesMax)."
            )
        }
        guard let json, length > 0 else {
            try self.init(function, .object([]))
            return
        }
        let bytes = Array(UnsafeRawBufferPointer(start: json, count: length))
        guard JSONFootprint(of: bytes).bytes <= Self.footprintMax else {
            throw CallError(
                .misuse, "badLength", "Cannot read the JSON of \(function): it has too many values. Send fewer at once."
            )
        }
        try self.init(function, Self.parse(bytes, function))
    }

    /// Reads an object within the text of a call.
    init(_ place: String, _ value: JSONValue) throws(CallError) {
        guard let members = value.members else {
            throw CallError(.misuse, "wrongType", "\(place) takes an object, and got \(value.kindName).")
        }
        self.place = place
        rest = members
    }

    private static func parse(_ bytes: [UInt8], _ function: String) throws(CallError) -> JSONValue {
        do {
            return try JSONParser.parse(bytes, depthMax: depthMax)
        } catch {
            throw CallError(.misuse, "notJSON", "Cannot read the JSON of \(function): \(error).")
        }
    }

    // MARK: Reading

    /// Returns a member, and removes it; `nil` where it is missing or null.
    mutating func value(_ name: String) -> JSONValue? {
        known.append(name)
        guard let index = rest.firstIndex(where: { $0.name.isSameText(as: name) }) else { return nil }
        let value = rest.remove(at: index).value
        return value == .null ? nil : value
    }

    /// Returns a text; `nil` where it is missing.
    mutating func text(_ name: String) throws(CallError) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.stringValue else { throw wrongType(name, value, expected: "a string") }
        return text
    }

    /// Returns a text that has to be there.
    mutating func requiredText(_ name: String) throws(CallError) -> String {
        guard let text = try text(name) else { throw missing(name) }
        return text
    }

    /// Returns the path of a file.
    mutating func path(_ name: String = "path") throws(CallError) -> String {
        let path = try requiredText(name)
        guard !path.utf8.isEmpty, !path.utf8.contains(0) else {
            throw CallError(
                .misuse, "outOfRange", "\"\(name)\" of \(place) is not a path: it is empty, or has a NUL in it.")
        }
        return path
    }

    /// Returns true or false; false where it is missing.
    mutating func boolean(_ name: String) throws(CallError) -> Bool {
        guard let value = value(name) else { return false }
        guard let flag = value.booleanValue else { throw wrongType(name, value, expected: "true or false") }
        return flag
    }

    /// Returns a whole number within bounds; `nil` where it is missing.
    mutating func integer(_ name: String, in range: ClosedRange<Int64>) throws(CallError) -> Int64? {
        guard let value = value(name) else { return nil }
        guard case .number(let text) = value else { throw wrongType(name, value, expected: "a whole number") }
        guard let number = value.integerValue, range.contains(number) else {
            throw CallError(
                .misuse, "outOfRange",
                "\"\(name)\" of \(place) is \(text), expected a whole number from \(range.lowerBound) to \(range.upperBound)."
            )
        }
        return number
    }

    /// Returns an array; empty where it is missing.
    mutating func array(_ name: String) throws(CallError) -> [JSONValue] {
        guard let value = value(name) else { return [] }
        guard let items = value.arrayValue else { throw wrongType(name, value, expected: "an array") }
        return items
    }

    /// Returns an array of texts; `nil` where it is missing.
    mutating func texts(_ name: String) throws(CallError) -> [String]? {
        guard let value = value(name) else { return nil }
        guard let items = value.arrayValue else { throw wrongType(name, value, expected: "an array of strings") }
        var texts: [String] = []
        for item in items {
            guard let text = item.stringValue else { throw wrongType(name, item, expected: "an array of strings") }
            texts.append(text)
        }
        return texts
    }

    /// Returns a word of a list; `nil` where it is missing.
    mutating func word<Word: RawRepresentable & CaseIterable>(
        _ name: String, of type: Word.Type
    ) throws(CallError) -> Word? where Word.RawValue == String {
        guard let text = try text(name) else { return nil }
        if let word = Word(rawValue: text) { return word }
        let words = Word.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        throw CallError(.misuse, "outOfRange", "\"\(name)\" of \(place) is \"\(text)\", expected one of \(words).")
    }

    /// Returns a duration of at most a year, given in milliseconds; `nil` where it is missing.
    mutating func timeout() throws(CallError) -> Duration? {
        try integer("timeoutMilliseconds", in: 0...(366 * 86_400_000)).map { .milliseconds($0) }
    }

    /// Whether a member is there, without reading it.
    func has(_ name: String) -> Bool { rest.contains { $0.name.isSameText(as: name) } }

    /// Checks that all members were read.
    func end() throws(CallError) {
        guard let unknown = rest.first else { return }
        let names = known.isEmpty ? "no members" : known.map { "\"\($0)\"" }.joined(separator: ", ")
        throw CallError(.misuse, "unknownMember", "\(place) does not take \"\(unknown.name)\". It takes \(names).")
    }

    private func missing(_ name: String) -> CallError {
        CallError(.misuse, "missingMember", "\(place) needs \"\(name)\", which is missing.")
    }

    private func wrongType(_ name: String, _ value: JSONValue, expected: String) -> CallError {
        CallError(.misuse, "wrongType", "\"\(name)\" of \(place) is \(value.kindName), expected \(expected).")
    }
}
