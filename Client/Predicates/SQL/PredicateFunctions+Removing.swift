package import GRDB

extension PredicateFunctions {
    private static let names: [(String, Int)] =
        [
            ("roost_fold", 2), ("roost_like", 3), ("roost_matches", 3), ("roost_ends", 2), ("roost_bytes", 1),
            ("roost_identifier", 1), ("roost_real", 1),
            ("roost_sum", 1), ("roost_avg", 1),
        ] + PredicateTerm.TextFunction.allCases.map { ($0.sqlName, 1) }

    /// Removes the functions from a connection. No statement that uses them may be running.
    package static func remove(from database: Database) {
        for (name, count) in names {
            database.remove(function: DatabaseFunction(name, argumentCount: count) { _ in nil })
        }
        database.remove(collation: DatabaseCollation("roost_locale", function: NameOrder.compare))
    }
}
