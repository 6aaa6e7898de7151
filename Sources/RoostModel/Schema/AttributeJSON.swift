/// The JSON form of attribute values, in a record's JSON form, a schema's defaults and on the command line.
///
/// `string`, `date` and `uuid` are strings, `integer` and `timestamp` whole numbers (a timestamp may also be an ISO 8601
/// string ending in `Z`), `double` a number or one of `inf`, `-inf` and `nan`, `boolean` true or false, `data` a Base64
/// string, `json` any value.
package enum AttributeJSON {
    /// The reason why a JSON value does not fit an attribute, with its cure.
    package struct Mismatch: Error, Hashable, Sendable {
        package var reason: String
        package var cure: String
    }

    package static func value(_ json: JSONValue, kind: Attribute.Kind) throws(Mismatch) -> Value {
        switch kind {
        case .string: .string(try string(json, "Write a string"))
        case .integer: .integer(try integer(json))
        case .double: .double(try finiteOrNot(json))
        case .boolean: .boolean(try boolean(json))
        case .date: .string(try date(json))
        case .timestamp: .integer(try timestamp(json))
        case .uuid: .data(try uuid(json))
        case .data: .data(try data(json))
        case .json: .string(json.text)
        }
    }

    /// Whether a stored value has the form of its kind, so that ``json(_:kind:)`` expresses it. A nil has.
    package static func fits(_ value: Value, kind: Attribute.Kind) -> Bool {
        switch (kind, value) {
        case (_, .null), (.string, .string), (.integer, .integer), (.timestamp, .integer), (.double, .double),
            (.boolean, .boolean), (.data, .data):
            true
        case (.date, .string(let text)): CalendarText.isValid(text)
        case (.uuid, .data(let bytes)): bytes.count == 16
        // No JSON value expresses a text with a repeated name, or one that is not JSON.
        case (.json, .string(let text)): (try? JSONParser.parse(text, depthMax: JSONText.depthMax)) != nil
        default: false
        }
    }

    /// Returns the JSON form of a stored value. A value of another form than its kind's is shown in its own form.
    package static func json(_ value: Value, kind: Attribute.Kind) -> JSONValue {
        switch value {
        case .null: return .null
        case .string(let text):
            if kind == .json, let parsed = try? JSONParser.parse(text, depthMax: JSONText.depthMax) { return parsed }
            return .string(text)
        case .integer(let number): return .integer(number)
        case .double(let number): return number.isFinite ? .number("\(number)") : .string("\(number)")
        case .boolean(let flag): return .boolean(flag)
        case .data(let bytes):
            if kind == .uuid, let id = RecordID(bytes: bytes) { return .string(id.description) }
            return .string(Base64.encode(bytes))
        }
    }

    private static func string(_ json: JSONValue, _ cure: String) throws(Mismatch) -> String {
        guard let text = json.stringValue else { throw Mismatch(reason: "got \(json.kindName)", cure: cure) }
        return text
    }

    private static func integer(_ json: JSONValue) throws(Mismatch) -> Int64 {
        if let number = json.integerOrText { return number }
        throw Mismatch(
            reason: "got \(json.kindName == "a number" ? json.text : json.kindName)",
            cure: "Write a whole number of at most 64 bits")
    }

    private static func finiteOrNot(_ json: JSONValue) throws(Mismatch) -> Double {
        if let number = double(json) { return number }
        throw Mismatch(
            reason: "got \(json.kindName)",
            cure: "Write a number that a double can hold, or \"inf\", \"-inf\" or \"nan\"")
    }

    /// Reads a double: a finite one from a number, another one from the text that ``json(_:kind:)`` writes.
    package static func double(_ json: JSONValue) -> Double? {
        if let number = json.doubleValue { return number.isFinite ? number : nil }
        guard let text = json.stringValue, let number = Double(text), !number.isFinite, "\(number)" == text else {
            return nil
        }
        return number
    }

    private static func boolean(_ json: JSONValue) throws(Mismatch) -> Bool {
        guard let flag = json.booleanValue else {
            throw Mismatch(reason: "got \(json.kindName)", cure: "Write true or false")
        }
        return flag
    }

    private static func date(_ json: JSONValue) throws(Mismatch) -> String {
        let text = try string(json, "Write a day as \"2026-07-14\"")
        guard CalendarText.isValid(text) else {
            throw Mismatch(reason: "got \"\(text)\"", cure: "Write a day that exists, as \"2026-07-14\"")
        }
        return text
    }

    private static func timestamp(_ json: JSONValue) throws(Mismatch) -> Int64 {
        if let number = json.integerOrText { return number }
        if let text = json.stringValue, let number = CalendarText.milliseconds(ofUTC: text) { return number }
        throw Mismatch(
            reason: "got \(json.text)", cure: "Write milliseconds since 1970, or \"2026-07-14T09:30:00.000Z\"")
    }

    private static func uuid(_ json: JSONValue) throws(Mismatch) -> [UInt8] {
        guard let text = json.stringValue, let id = RecordID(text) else {
            throw Mismatch(reason: "got \(json.text)", cure: "Write a UUID of 36 characters")
        }
        return id.bytes
    }

    private static func data(_ json: JSONValue) throws(Mismatch) -> [UInt8] {
        guard let text = json.stringValue, let bytes = Base64.decode(text) else {
            throw Mismatch(reason: "got \(json.kindName)", cure: "Write the bytes in Base64")
        }
        return bytes
    }
}
