/// Joins fields to a text that is unique to them.
enum SourceKey {
    /// Writes each field after its length, so that no content can be mistaken for a separator: `splitwise 5:Pizza,3:EUR`.
    static func text(_ source: String, _ fields: [String]) -> String {
        source + " " + fields.map { "\($0.utf8.count):\($0)" }.joined(separator: ",")
    }
}
