/// The reason why a value may not be written to an attribute.
package enum ValueFault: Error, Hashable, Sendable {
    /// The value has another form than the type's.
    case form(Attribute.Kind)
    /// The text is not UTF-8.
    case notUTF8
    /// The text is not an existing day, written `YYYY-MM-DD`, from year 1 to year 9999.
    case notADay
    /// The text is not JSON of at most 64 levels. The payload is the parser's reason.
    case notJSON(String)
    /// The double is NaN, which SQLite stores as nil.
    case notANumber
    /// The bytes of a UUID are not 16 but this many.
    case notAUUID(Int)

    /// The fault as the end of a sentence about the attribute.
    package var reason: String {
        switch self {
        case .form(let kind): "is not \(kind.formName)"
        case .notUTF8: "is not UTF-8"
        case .notADay: "is not a day that exists"
        case .notJSON(let reason): "is not JSON (\(reason))"
        case .notANumber: "is not a number"
        case .notAUUID(let count): "is \(count) bytes long, not 16"
        }
    }

    /// The next step for the user, as a sentence.
    package var cure: String {
        switch self {
        case .form(let kind): "Give it \(kind.formName)."
        case .notUTF8: "Write the text in UTF-8."
        case .notADay: "Write it as YYYY-MM-DD."
        case .notJSON: "Correct the text."
        case .notANumber: "Give it a number, or nil."
        case .notAUUID: "Give it a UUID."
        }
    }
}

/// The one definition of the values of an attribute; `Docs/values.md` has it as a table.
///
/// Values that programs write are checked by it in every layer: SQL at settlement, `LocalTransaction`, objects, the command
/// line and JSON. A put from the server may contain more: see ``Attribute/Kind/faultInPut(_:)``.
extension Attribute.Kind {
    /// Explains why a value may not be written to an attribute of the type.
    ///
    /// - Parameter value: A value other than nil, whose validity does not depend on the type.
    /// - Returns: `nil` for a value of the type.
    package func fault(of value: ContentReader.RawValue) -> ValueFault? {
        switch (self, value) {
        case (.integer, .integer), (.timestamp, .integer), (.boolean, .boolean), (.data, .bytes), (.uuid, .identifier):
            nil
        case (.string, .text(let text)): ContentReader.isUTF8(text) ? nil : .notUTF8
        case (.date, .text(let text)): CalendarText.isValid(text) ? nil : .notADay
        case (.json, .text(let text)): JSONText.fault(in: text).map { .notJSON($0.description) }
        case (.double, .real(let number)): number.isNaN ? .notANumber : nil
        case (.uuid, .bytes(let bytes)): bytes.count == 16 ? nil : .notAUUID(bytes.count)
        case (.string, .malformedText), (.date, .malformedText), (.json, .malformedText): .notUTF8
        default: .form(self)
        }
    }

    /// Explains why a value may not be written to an attribute of the type.
    ///
    /// - Parameter value: A value other than nil, whose validity does not depend on the type.
    /// - Returns: `nil` for a value of the type.
    package func fault(of value: Value) -> ValueFault? {
        switch (self, value) {
        case (.integer, .integer), (.timestamp, .integer), (.boolean, .boolean), (.data, .data), (.string, .string): nil
        case (.date, .string(let text)): CalendarText.isValid(text) ? nil : .notADay
        case (.json, .string(let text)): JSONText.fault(in: text).map { .notJSON($0.description) }
        case (.double, .double(let number)): number.isNaN ? .notANumber : nil
        case (.uuid, .data(let bytes)): bytes.count == 16 ? nil : .notAUUID(bytes.count)
        default: .form(self)
        }
    }

    /// Explains why a record cannot be shown because of a value of its put.
    ///
    /// A put may contain two kinds of values that no Roost program writes, and that a row shows approximately. NaN is shown
    /// as nil. In text that is not UTF-8, U+FFFD replaces the invalid parts. The row keeps the put's bytes for them.
    ///
    /// - Parameter value: A value other than nil.
    /// - Returns: `nil` for a value that is shown.
    package func faultInPut(_ value: ContentReader.RawValue) -> ValueFault? {
        switch (self, value) {
        case (.string, .text), (.string, .malformedText), (.double, .real): nil
        default: fault(of: value)
        }
    }

    /// Whether values of the type have this form, regardless of the type's other rules.
    package func takes(_ value: Value) -> Bool {
        switch (self, value) {
        case (.string, .string), (.date, .string), (.json, .string), (.integer, .integer), (.timestamp, .integer),
            (.double, .double), (.boolean, .boolean), (.uuid, .data), (.data, .data):
            true
        default: false
        }
    }

    /// The name of the type with its article, for messages.
    package var phrase: String {
        switch self {
        case .integer: "an integer"
        case .data, .json: rawValue
        case .string, .double, .boolean, .date, .timestamp, .uuid: "a \(rawValue)"
        }
    }

    /// The form of the type's values, for messages.
    package var formName: String {
        switch self {
        case .string: "text"
        case .date: "a day as text, YYYY-MM-DD"
        case .json: "JSON as text"
        case .integer: "a whole number"
        case .timestamp: "milliseconds since 1970 as a whole number"
        case .double: "a floating-point number"
        case .boolean: "true or false"
        case .uuid: "16 bytes"
        case .data: "bytes"
        }
    }
}

extension Value {
    /// The value as a column of SQLite returns it: a negative zero as zero, and NaN as nil.
    package var asStored: Value {
        guard case .double(let number) = self else { return self }
        return number == 0 ? .double(0) : number.isNaN ? .null : self
    }

    /// The value without a negative zero, which no column of SQLite stores.
    package var withoutNegativeZero: Value {
        if case .double(let number) = self, number == 0 { .double(0) } else { self }
    }
}
