/// What ``Replica/repair(at:)`` has done.
public struct ReplicaRepair: Hashable, Sendable {
    /// The tables of which a part could not be read; what it held of the server's comes again with the next synchronisation.
    public var damagedTables: [String]
    /// Where the file is kept as it was; beside it, with `-wal` at the end, its log.
    public var keptAt: String
    /// What was found and done, in words: first what concerns changes that wait.
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
