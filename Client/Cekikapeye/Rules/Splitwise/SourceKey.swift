/// Joins fields to one text that no other fields give.
enum SourceKey {
    /// Writes each field after its length, so that no content can pose as a separator: `splitwise 5:Pizza,3:EUR`.
    static func text(_ source: String, _ fields: [String]) -> String {
        source + " " + fields.map { "\($0.utf8.count):\($0)" }.joined(separator: ",")
    }
}
