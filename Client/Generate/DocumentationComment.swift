/// Lays text out as a documentation comment of lines of 120 characters at most.
enum DocumentationComment {
    /// Lays out a comment.
    ///
    /// - Parameters:
    ///   - paragraphs: Text without line breaks.
    ///   - indent: The number of spaces before each line.
    static func source(_ paragraphs: String..., indent: Int = 4) -> String {
        let head = String(repeating: " ", count: indent) + "///"
        return paragraphs.map { lines($0, head).joined(separator: "\n") }.joined(separator: "\n\(head)\n")
    }

    private static func lines(_ text: String, _ head: String) -> [String] {
        var lines = [head]
        for word in text.parts(at: " ", keepsEmpty: true) {
            let last = lines[lines.count - 1]
            if last.count + 1 + word.count <= 120 || last == head {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append("\(head) \(word)")
            }
        }
        return lines
    }
}
