package import GRDB
package import RoostModel

extension Database {
    /// Well under what any SQLite takes, so that few texts of statements are prepared.
    package static var identifiersAtOnce: Int { 500 }

    /// Runs a query for identifiers, so many at a time.
    ///
    /// - Parameters:
    ///   - leading: What the first question marks of the query stand for, before those of the identifiers.
    ///   - sql: The query, given the question marks of the identifiers.
    ///   - read: Called with each row.
    package func query(
        _ ids: [RecordID], after leading: [Value] = [], sql: (String) -> String, read: (Query) throws -> Void
    ) throws {
        for start in stride(from: 0, to: ids.count, by: Self.identifiersAtOnce) {
            let chunk = ids[start..<min(start + Self.identifiersAtOnce, ids.count)]
            let query = try query(sql(Array(repeating: "?", count: chunk.count).joined(separator: ", ")))
            for (index, value) in leading.enumerated() { query.bind(Int32(index + 1), value) }
            for (index, id) in chunk.enumerated() { query.bind(Int32(leading.count + index + 1), id) }
            while try query.step() { try read(query) }
        }
    }
}
