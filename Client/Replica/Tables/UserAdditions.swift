/// The additions of other programs to the visible table of an entity. They belong to those programs and stay.
///
/// ```swift
/// let additions = try UserAdditions.read(of: table, database)
/// if additions.hasTriggers { … }
/// ```
struct UserAdditions: Hashable, Sendable {
    /// A unique index. Where a row replaces another one because of it, no trigger runs for the replaced row.
    struct UniqueIndex: Hashable, Sendable {
        struct Term: Hashable, Sendable {
            let column: String
            let collation: String
        }

        let name: String
        /// The columns by which rows are compared. Expressions are left out, so that more rows count as equal.
        let terms: [Term]
        /// Whether no column is left to compare rows by.
        var isOpaque: Bool { terms.isEmpty }
    }

    /// The names of columns in their order, without generated ones.
    var columns: [String] = []
    /// Whether a trigger runs with writes of the table.
    var hasTriggers = false
    var uniqueIndexes: [UniqueIndex] = []

    /// Whether an index can make SQLite delete rows without a trigger.
    var hasUniqueIndex: Bool { !uniqueIndexes.isEmpty }
}
