internal import RoostModel

/// Finds the record to which a typed identifier refers.
struct RecordMatcher {
    /// The minimum length of a typed identifier, in characters.
    static let charactersMin = 4
    private let records: [(id: RecordID, text: String, title: String)]

    init(_ records: [(RecordID, String)]) {
        self.records = records.map { ($0.0, $0.0.description, $0.1) }
    }

    /// Finds one record by its complete identifier, its end or its beginning.
    func find(_ text: String) throws(BookError) -> RecordID {
        let wanted = FoldedText(text).text
        guard wanted.count >= Self.charactersMin else { throw .unknownRecord(text) }
        let byEnd = records.filter { $0.text.hasSuffix(wanted) }
        let fitting = byEnd.isEmpty ? records.filter { $0.text.hasPrefix(wanted) } : byEnd
        guard let first = fitting.first else { throw .unknownRecord(text) }
        guard fitting.count == 1 else {
            throw .ambiguousRecord(text, candidates: fitting.prefix(10).map { "\($0.text) \($0.title)" })
        }
        return first.id
    }
}
