/// A JSON value that preserves its text: numbers exactly as written, object keys in their order.
package indirect enum JSONValue: Sendable {
    case null
    case boolean(Bool)
    /// The text of the number, so that no digit is lost.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([Member])

    package struct Member: Sendable {
        package var name: String
        package var value: JSONValue

        package init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    package static func integer(_ number: some BinaryInteger) -> JSONValue { .number(String(number)) }

    /// Makes an object, leaving out members that are `nil`.
    package static func members(_ members: (String, JSONValue?)...) -> JSONValue {
        .object(members.compactMap { name, value in value.map { Member(name, $0) } })
    }

    package subscript(_ name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name.isSameText(as: name) }?.value
    }

    package var stringValue: String? { if case .string(let text) = self { text } else { nil } }
    package var booleanValue: Bool? { if case .boolean(let flag) = self { flag } else { nil } }
    package var arrayValue: [JSONValue]? { if case .array(let items) = self { items } else { nil } }
    package var members: [Member]? { if case .object(let members) = self { members } else { nil } }

    /// The number, if it is written without fraction and exponent and fits; otherwise `nil`.
    package var integerValue: Int64? { if case .number(let text) = self { Int64(text) } else { nil } }
    /// The number, written as for ``integerValue`` or as a text of its digits: beyond 2^53 many JSON writers round.
    ///
    /// The text has to be in the form that Roost writes: no plus sign, no leading zeros, no negative zero.
    package var integerOrText: Int64? {
        guard case .string(let text) = self else { return integerValue }
        guard text.utf8.count <= 20, let number = Int64(text), String(number).isSameText(as: text) else { return nil }
        return number
    }
    package var doubleValue: Double? { if case .number(let text) = self { Double(text) } else { nil } }

    /// The kind of the value, for an error message.
    package var kindName: String {
        switch self {
        case .null: "null"
        case .boolean: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension JSONValue: Equatable {
    /// Compares texts and names by their bytes, and numbers by their text.
    package static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.boolean(let left), .boolean(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.isSameText(as: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }
}

extension JSONValue.Member: Equatable {
    package static func == (left: JSONValue.Member, right: JSONValue.Member) -> Bool {
        left.name.isSameText(as: right.name) && left.value == right.value
    }
}
