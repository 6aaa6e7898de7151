extension PredicatePath {
    /// Makes a path of names with dots between them, as ``EntityFields/path`` has them; `SELF` of an empty text.
    package init(dotted text: String) {
        self.init(text.split(separator: ".").map(String.init))
    }

    /// Reads a path in the format language, where a name that is a keyword has a `#`.
    ///
    /// - Returns: `nil` for a computed value, such as `spendings.@count`.
    package init?(format text: String) throws(FetchPredicateError) {
        guard case .path(let path) = try FormatParser.path(text) else { return nil }
        self = path
    }

    /// The path in the format language.
    package var format: String { FormatWriter.text(of: self) }
}
