extension Replica {
    /// The names of the tables that hold no visible records: Roost's own, and SQLite's list of the numbers that it has given.
    package var internalTables: [String] {
        LayoutVerification.vital + ["roost_mark", "roost_rule", "roost_missing", "sqlite_sequence"]
            + layout.tables.map { "roost_hidden_\($0.table)" }
    }
}
