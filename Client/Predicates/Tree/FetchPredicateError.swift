/// A predicate that cannot be parsed, or does not fit the schema.
public struct FetchPredicateError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error, for programs.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// The text does not follow the format language.
        public static let syntax = Code(description: "syntax")
        /// An argument is missing, unused, or of the wrong kind.
        public static let argument = Code(description: "argument")
        /// The predicate exceeds the limit of length or nesting.
        public static let tooComplex = Code(description: "tooComplex")
        /// The entity has no such property.
        public static let unknownProperty = Code(description: "unknownProperty")
        /// Values of two types cannot be compared.
        public static let type = Code(description: "type")
        /// A path gives many values where one is required, or one where many are required.
        public static let multiplicity = Code(description: "multiplicity")
        /// A `$variable` has no value.
        public static let unboundVariable = Code(description: "unboundVariable")
        /// A regular expression cannot be read.
        public static let pattern = Code(description: "pattern")
        /// A predicate of Foundation uses an unsupported expression.
        public static let unsupported = Code(description: "unsupported")
    }

    /// The kind of error; programs branch on it, never on ``message``.
    public var code: Code
    /// The error, the expectation, and the remedy, for users.
    public var message: String
    /// The predicate as written, or in its canonical form if it was not written as text.
    public var text: String
    /// The column of the error in ``text``, counted from 1 in characters.
    public var column: Int

    /// Makes an error about a text.
    ///
    /// - Parameters:
    ///   - code: The kind of error.
    ///   - message: The error, the expectation, and the remedy.
    ///   - text: The predicate; empty if there is none to show.
    ///   - column: The column of the error in `text`, counted from 1 in characters.
    public init(_ code: Code, _ message: String, text: String, column: Int = 1) {
        self.code = code
        self.message = message
        self.text = text
        self.column = column
    }

    init(_ code: Code, _ message: String, at location: FormatLocation) {
        self.init(code, message, text: location.text, column: location.column)
    }

    /// The message, then the text with a caret below the column.
    public var description: String {
        let window = ErrorWindow(text: text, column: column)
        return text.isEmpty ? message : "\(message)\n    \(window.line)\n    \(window.caret)"
    }
}

/// The excerpt of a text that is shown with an error: one line of at most 100 characters.
private struct ErrorWindow {
    private static let widthMax = 100

    let line: String
    let caret: String

    init(text: String, column: Int) {
        // Unprintable scalars would misalign the caret.
        let characters = text.map { character in
            character.unicodeScalars.contains { $0.properties.generalCategory == .control } ? " " : character
        }
        let index = min(max(column - 1, 0), characters.count)
        let start = characters.count <= Self.widthMax ? 0 : max(0, min(index - 60, characters.count - Self.widthMax))
        let end = min(characters.count, start + Self.widthMax)
        let before = start > 0 ? "…" : ""
        line = before + String(characters[start..<end]) + (end < characters.count ? "…" : "")
        let width = characters[start..<index].reduce(before.count) { $0 + DisplayWidth.of($1) }
        caret = String(repeating: " ", count: width) + "^"
    }
}
