package import GRDB
package import RoostModel

extension Database {
    /// The number of identifiers bound to one query. It is well below the parameter limit of any SQLite build, and fixed, so that
    /// few different statements are prepared.
    package static var identifiersAtOnce: Int { 500 }

    /// Runs a query for identifiers, ``identifiersAtOnce`` at a time.
    ///
    /// - Parameters:
    ///   - leading: The values of the query's first parameters, before the identifiers.
    ///   - sql: Returns the query for the given placeholders of the identifiers.
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
