/// What other programs have added to the visible table of an entity. It belongs to them and stays.
///
/// ```swift
/// let additions = try UserAdditions.read(of: table, database)
/// if additions.hasTriggers { … }
/// ```
struct UserAdditions: Hashable, Sendable {
    /// A unique index: a row that replaces another one by it is written without any trigger for the other.
    struct UniqueIndex: Hashable, Sendable {
        struct Term: Hashable, Sendable {
            let column: String
            let collation: String
        }

        let name: String
        /// The columns that rows are compared by. Expressions are left out: more rows are alike then.
        let terms: [Term]
        /// Whether no column is left to compare rows by.
        var isOpaque: Bool { terms.isEmpty }
    }

    /// The names of columns, in their order; generated ones are left out.
    var columns: [String] = []
    /// Whether a trigger runs with writes of the table.
    var hasTriggers = false
    var uniqueIndexes: [UniqueIndex] = []

    /// Whether an index can make SQLite delete rows without a trigger.
    var hasUniqueIndex: Bool { !uniqueIndexes.isEmpty }
}
