internal import RoostModel

/// Lays declarations out as `swift format` with lines of 120 characters leaves them.
enum SwiftLayout {
    /// A computed property of one expression.
    ///
    /// - Parameter head: What stands before the colon, with its indentation.
    static func variable(_ head: String, _ type: String, _ body: String) -> String {
        let indent = head.indentation
        if fits("\(head): \(type) { \(body) }") { return "\(head): \(type) { \(body) }\n" }
        if fits("\(head): \(type) {") { return "\(head): \(type) {\n\(indent)    \(body)\n\(indent)}\n" }
        return "\(broken(head, type)) \(body) }\n"
    }

    /// A property that is read and written by an expression.
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

    /// A property's declaration as far as its brace, where one line does not hold both.
    private static func broken(_ head: String, _ type: String) -> String {
        let indent = head.indentation
        let declaration = fits("\(head): \(type)") ? "\(head): \(type)" : "\(head):\n\(indent)    \(type)"
        return "\(declaration)\n\(indent){"
    }

    /// A method of one parameter and one expression.
    static func method(_ head: String, _ parameter: String, _ body: String) -> String {
        let indent = head.indentation
        if fits("\(head)(\(parameter)) { \(body) }") { return "\(head)(\(parameter)) { \(body) }\n" }
        return "\(head)(\n\(indent)    \(parameter)\n\(indent)) { \(body) }\n"
    }

    /// The elements of a literal of several lines; a comma after the last only where there are others.
    static func elements(_ lines: [String]) -> String {
        lines.joined(separator: ",\n") + (lines.count > 1 ? "," : "")
    }

    /// Whether a line is of 120 characters at most.
    static func fits(_ line: String) -> Bool { line.utf8.count <= 120 }
}
