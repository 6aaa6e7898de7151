/// One layer of the foreign writer. Each can be switched on alone: `scripts/simulate --foreign --foreign-kinds triggers,unique`.
package enum ForeignKind: String, Hashable, Sendable, CaseIterable {
    /// INSERT, UPDATE, DELETE, UPSERT, RETURNING and explicit rowids.
    case statements
    /// Updates that change nothing, or nothing in the end: they must not beat anybody's edit.
    case unchanged
    /// Every conflict clause on INSERT and UPDATE, with `recursive_triggers` on and off.
    case conflicts
    /// Records that get another identifier, also parents under a deny or cascade rule; delete and reinsert.
    case identifiers
    /// UNIQUE, partial and expression indexes, and rows that a REPLACE evicts because of them.
    case unique
    /// Triggers that raise, in each form, before and after each kind of write.
    case triggers
    /// Triggers that maintain the user's own tables; views that are written.
    case derived
    /// Triggers that write synchronised tables, such as `updated_at`.
    case touching
    /// TEMP triggers.
    case temporary
    /// The user's own columns: added, renamed, dropped, written.
    case columns
    /// SQLite's documented rebuild of a table in 12 steps.
    case rebuild
    /// Triggers, indexes or tables of Roost that are dropped.
    case dropped
    /// Tables and columns of Roost that are renamed.
    case renamed
    /// Tables that are replaced by another of the same name.
    case replaced
    /// VACUUM, another page size, a dump that is restored into the same name.
    case file
    /// `user_version`, `journal_mode`, `foreign_keys`, `writable_schema`, `trusted_schema`.
    case pragmas
    /// An FTS5 external-content index that triggers maintain.
    case fulltext
    /// Incremental blob writes, which run no trigger.
    case blobs
    /// NFC and NFD text, unusual numbers, text that is not UTF-8, values larger than the server takes.
    case values

    /// Kinds after which the tables differ from what Roost expects until it looks at them again.
    var breaksLayout: Bool { [.rebuild, .dropped, .renamed, .replaced].contains(self) }

    /// Kinds whose writes only a comparison of rows with facts finds.
    var isUntracked: Bool { [.rebuild, .dropped, .renamed, .replaced, .blobs].contains(self) }
}
