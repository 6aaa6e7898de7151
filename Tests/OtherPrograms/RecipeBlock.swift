/// A fenced block of code.
struct RecipeBlock: Sendable {
    let language: String
    /// The number of its first line of code in the page.
    let line: Int
    var text = ""

    /// The name in a first line such as `# models.py`. The block is the content of that file.
    var fileName: String? {
        guard let comment = text.prefix(while: { $0 != "\n" }).wholeMatch(of: /(?:#|\/\/|--) ([\w.\/-]+\.\w+)/) else {
            return nil
        }
        return String(comment.output.1)
    }
}
