/// Why a predicate could not be read, or does not fit the schema.
public struct FetchPredicateError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of mistake, for programs.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// The text does not follow the format language.
        public static let syntax = Code(description: "syntax")
        /// An argument is missing, left over, or not of the kind that its place asks for.
        public static let argument = Code(description: "argument")
        /// The predicate is longer or nested deeper than is taken.
        public static let tooComplex = Code(description: "tooComplex")
        /// The entity has no such property.
        public static let unknownProperty = Code(description: "unknownProperty")
        /// Values of two types meet that cannot be compared.
        public static let type = Code(description: "type")
        /// A path leads through a to-many relationship where one value is needed, or the other way about.
        public static let multiplicity = Code(description: "multiplicity")
        /// A `$variable` has no value.
        public static let unboundVariable = Code(description: "unboundVariable")
        /// A regular expression cannot be read.
        public static let pattern = Code(description: "pattern")
        /// A predicate of Foundation uses something that has no meaning here.
        public static let unsupported = Code(description: "unsupported")
    }

    /// The kind of mistake; programs branch on it, never on ``message``.
    public var code: Code
    /// What is wrong, what was expected, and what to do.
    public var message: String
    /// The predicate as it was written, or in its canonical form if it was not written as text.
    public var text: String
    /// Where in ``text`` the mistake is, from 1, in characters.
    public var column: Int

    /// Makes an error about a text.
    ///
    /// - Parameters:
    ///   - code: The kind of mistake.
    ///   - message: What is wrong, what was expected, and what to do.
    ///   - text: The predicate; empty where there is none to show.
    ///   - column: Where the mistake is, from 1, in characters.
    public init(_ code: Code, _ message: String, text: String, column: Int = 1) {
        self.code = code
        self.message = message
        self.text = text
        self.column = column
    }

    init(_ code: Code, _ message: String, at place: SourcePlace) {
        self.init(code, message, text: place.text, column: place.column)
    }

    /// The message, then the text with a caret below the column.
    public var description: String {
        let window = ErrorWindow(text: text, column: column)
        return text.isEmpty ? message : "\(message)\n    \(window.line)\n    \(window.caret)"
    }
}

/// The part of a text that is shown with an error: one line, at most 100 characters of it.
private struct ErrorWindow {
    private static let widthMax = 100

    let line: String
    let caret: String

    init(text: String, column: Int) {
        // What is not printed would move the caret away from its place.
        let characters = text.map { character in
            character.unicodeScalars.contains { $0.properties.generalCategory == .control } ? " " : character
        }
        let place = min(max(column - 1, 0), characters.count)
        let start = characters.count <= Self.widthMax ? 0 : max(0, min(place - 60, characters.count - Self.widthMax))
        let end = min(characters.count, start + Self.widthMax)
        let before = start > 0 ? "…" : ""
        line = before + String(characters[start..<end]) + (end < characters.count ? "…" : "")
        let width = characters[start..<place].reduce(before.count) { $0 + DisplayWidth.of($1) }
        caret = String(repeating: " ", count: width) + "^"
    }
}
