/// The result of ``Replica/repair(at:)``.
public struct ReplicaRepair: Hashable, Sendable {
    /// The tables of which a part could not be read. The next synchronisation restores the server's records in them.
    public var damagedTables: [String]
    /// The path of the copy of the corrupt file. Its WAL is stored alongside, with the suffix `-wal`.
    public var keptAt: String
    /// The findings and repairs, in words; those about pending changes come first.
    public var notices: [String]

    init(damagedTables: [String], keptAt: String) {
        self.damagedTables = damagedTables
        self.keptAt = keptAt
        let what =
            damagedTables.isEmpty
            ? "all of its tables could be read"
            : "a part could not be read of \(damagedTables.map { "\"\($0)\"" }.joined(separator: ", "))"
        notices = ["The file was damaged, and was made anew: \(what). It is kept as it was in \"\(keptAt)\"."]
    }
}
