/// Lays out declarations like `swift format` with lines of 120 characters.
enum SwiftLayout {
    /// Lays out a computed property of one expression.
    ///
    /// - Parameter head: The text before the colon, with its indentation.
    static func variable(_ head: String, _ type: String, _ body: String) -> String {
        let indent = head.indentation
        if fits("\(head): \(type) { \(body) }") { return "\(head): \(type) { \(body) }\n" }
        if fits("\(head): \(type) {") { return "\(head): \(type) {\n\(indent)    \(body)\n\(indent)}\n" }
        return "\(broken(head, type)) \(body) }\n"
    }

    /// Lays out a property that an expression reads and writes.
    static func accessors(_ head: String, _ type: String, _ body: String) -> String {
        let indent = head.indentation
        let opening = fits("\(head): \(type) {") ? "\(head): \(type) {" : broken(head, type)
        return """
            \(opening)
            \(indent)    get { \(body) }
            \(indent)    set { \(body) = newValue }
            \(indent)}

            """
    }

    /// Lays out a property's declaration up to its opening brace, if one line is too short for both.
    private static func broken(_ head: String, _ type: String) -> String {
        let indent = head.indentation
        let declaration = fits("\(head): \(type)") ? "\(head): \(type)" : "\(head):\n\(indent)    \(type)"
        return "\(declaration)\n\(indent){"
    }

    /// Lays out a method of one parameter list and one expression.
    static func method(_ head: String, _ parameter: String, _ body: String) -> String {
        let indent = head.indentation
        if fits("\(head)(\(parameter)) { \(body) }") { return "\(head)(\(parameter)) { \(body) }\n" }
        return "\(head)(\n\(indent)    \(parameter)\n\(indent)) { \(body) }\n"
    }

    /// Lays out the elements of a literal of several lines. The last one has a comma only if there are others.
    static func elements(_ lines: [String]) -> String {
        lines.joined(separator: ",\n") + (lines.count > 1 ? "," : "")
    }

    /// Returns whether a line has at most 120 bytes.
    static func fits(_ line: String) -> Bool { line.utf8.count <= 120 }
}
