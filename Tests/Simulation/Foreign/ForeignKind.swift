/// One layer of the foreign writer. Each can be switched on by itself:
/// `scripts/simulate --foreign --foreign-kinds triggers,unique`.
package enum ForeignKind: String, Hashable, Sendable, CaseIterable {
    /// INSERT, UPDATE, DELETE, UPSERT, RETURNING and explicit rowids.
    case statements
    /// Updates that change nothing, or nothing in the end. They must not beat any device's edit.
    case unchanged
    /// Every conflict clause on INSERT and UPDATE, with `recursive_triggers` on and off.
    case conflicts
    /// Records that get another identifier, including parents under a deny or cascade rule; delete and reinsert.
    case identifiers
    /// UNIQUE, partial and expression indexes, and the rows that a REPLACE evicts because of them.
    case unique
    /// Triggers that raise, with each action, before and after each kind of write.
    case triggers
    /// Triggers that maintain the user's own tables; writes to views.
    case derived
    /// Triggers that write synchronised tables, such as `updated_at`.
    case touching
    /// TEMP triggers.
    case temporary
    /// The user's own columns: add, rename, drop, write.
    case columns
    /// SQLite's documented rebuild of a table in 12 steps.
    case rebuild
    /// Drops of Roost's triggers, indexes or tables.
    case dropped
    /// Renames of Roost's tables and columns.
    case renamed
    /// Replacements of tables by others of the same name.
    case replaced
    /// VACUUM, another page size, a dump that is restored under the original file name.
    case file
    /// `user_version`, `journal_mode`, `foreign_keys`, `writable_schema`, `trusted_schema`.
    case pragmas
    /// An FTS5 external-content index that triggers maintain.
    case fulltext
    /// Incremental blob writes, which run no trigger.
    case blobs
    /// NFC and NFD text, unusual numbers, text that is not UTF-8, values above the server's limit.
    case values

    /// Whether the tables differ from Roost's layout afterwards, until Roost checks them.
    var breaksLayout: Bool { [.rebuild, .dropped, .renamed, .replaced].contains(self) }

    /// Whether only a comparison of rows with facts finds the writes of this kind.
    var isUntracked: Bool { [.rebuild, .dropped, .renamed, .replaced, .blobs].contains(self) }
}
