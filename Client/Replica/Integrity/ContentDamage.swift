internal import GRDB
internal import RoostModel

/// Records the findings of a check of contents, inside one transaction. The next session then starts a full
/// resynchronisation.
struct ContentDamage {
    let database: Database
    let layout: Layout
    /// Milliseconds since 1970.
    let now: Int64

    /// The maximum number of records that an event names.
    private static let namesMax = 5

    /// Checks the records again, and records those that are still corrupt: another program may have written since. A corrupt
    /// index may have omitted intact rows; it is rebuilt from the rows.
    ///
    /// - Parameter isKnown: Whether the check found corruption beyond single records, which needs no second check.
    /// - Returns: The records whose content has to be rewritten, possibly none; `nil` if nothing is wrong.
    func note(_ keys: [RecordKey], isKnown: Bool) throws -> [RecordKey]? {
        let state = ScrubState(database: database)
        guard try state.isComparable else { return nil }
        var scrub = try ContentScrub(database, layout)
        var damaged = try keys.filter { try scrub.isDamaged($0) }
        let unseen = try damaged.filter { try scrub.hasNoRow($0) }
        let count = damaged.count
        if !unseen.isEmpty {
            try makeIndexesAnew(Set(unseen.map(\.entity)))
            scrub = try ContentScrub(database, layout)
            damaged = try damaged.filter { try scrub.isDamaged($0) }
        }
        let hidden = count - damaged.count
        guard !damaged.isEmpty || hidden > 0 || isKnown else { return nil }
        guard try state.damaged == 0 else { return damaged }
        // While an index omitted rows, records that depend on them may have been derived as if those rows were gone. The
        // full resynchronisation derives them again.
        let what =
            if !damaged.isEmpty {
                "The content of \(damaged.count) records is not what the server has confirmed: \(names(damaged))."
            } else if hidden > 0 {
                "An index hid \(hidden) records, and was made anew from the rows."
            } else {
                "What this replica knows of the server's records is damaged."
            }
        try Journal(database: database, now: now).event(
            "damage",
            "\(what) The file was damaged, or another program wrote past the triggers. All is compared with the server; local changes are kept."
        )
        try state.note(damaged: max(1, damaged.count))
        return damaged
    }

    private func makeIndexesAnew(_ entities: Set<EntityID>) throws {
        for table in layout.tables where entities.contains(table.entity) {
            do {
                try database.executeEach("REINDEX \(table.visible)", "REINDEX \(table.hidden)")
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                // Two rows have one identifier, which is corruption. The full resynchronisation decides between them.
            }
        }
    }

    private func names(_ keys: [RecordKey]) -> String {
        let names = keys.prefix(Self.namesMax).map { "\(layout[$0.entity]?.name ?? "entity \($0.entity)") \($0.id)" }
        return names.joined(separator: ", ") + (keys.count > names.count ? ", …" : "")
    }
}
