import Objects

/// A program's subclass of a generated class.
final class CheckedBook: Book {
    struct TooLong: Error, CustomStringConvertible {
        let description = "\"pages\" is over 10,000. Make it two books."
    }

    override func awakeFromInsert() { title = "Untitled" }

    override func willSave() { title = title.filter { $0 != "\n" } }

    override func validate() throws {
        guard pages <= 10_000 else { throw TooLong() }
    }
}
