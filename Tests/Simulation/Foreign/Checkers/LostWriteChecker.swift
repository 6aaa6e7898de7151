internal import RoostModel

/// I29: every committed write is a change that the server accepted, or has an entry in its device's journal.
enum LostWriteChecker {
    static func check(_ oracle: ForeignOracle, _ ledger: Ledger, _ tables: [ForeignTable]) throws {
        for expectation in oracle.expectations {
            guard let table = tables.first(where: { $0.entity == expectation.key.entity }) else { continue }
            let journal = oracle.journals[expectation.device] ?? .init()
            guard !isAccountedFor(expectation, table, ledger, journal) else { continue }
            throw Violation(
                .committedWrite,
                "replica \(expectation.device): \(describe(expectation)) was committed by \(expectation.by); it is neither "
                    + "on the server nor in the device's journal. \(seen(expectation, table, ledger))")
        }
    }

    private static func isAccountedFor(
        _ expectation: ForeignOracle.Expectation, _ table: ForeignTable, _ ledger: Ledger,
        _ journal: ForeignOracle.Journal
    ) -> Bool {
        let key = expectation.key
        guard let row = expectation.row else { return isDeleteKnown(expectation, ledger, journal) }
        if expectation.mayBeRefused, journal.refused.contains(key) { return true }
        return ledger.everAccepted(key).contains { table.shows(row, $0) }
            || journal.puts[key]?.contains { table.shows(row, $0) } ?? false
    }

    /// Returns the puts of a record that the server has accepted, for a report.
    private static func seen(
        _ expectation: ForeignOracle.Expectation, _ table: ForeignTable, _ ledger: Ledger
    ) -> String {
        guard expectation.row != nil else { return "" }
        let puts = ledger.everAccepted(expectation.key).compactMap(table.row(of:))
        return "The server accepted: \(puts.map(describe).joined(separator: "; "))"
    }

    /// Returns whether a delete that knew a put has arrived, or the journal names the delete.
    private static func isDeleteKnown(
        _ expectation: ForeignOracle.Expectation, _ ledger: Ledger, _ journal: ForeignOracle.Journal
    ) -> Bool {
        guard let put = expectation.deleted else { return true }
        return ledger.everDeleted(expectation.key, after: put) || journal.deletes.contains(expectation.key)
            || ledger.hasPurged(expectation.key, [put])
    }

    private static func describe(_ expectation: ForeignOracle.Expectation) -> String {
        guard let row = expectation.row else { return "the delete of \(expectation.key.short)" }
        return "\(expectation.key.short) (\(describe(row)))"
    }

    private static func describe(_ row: [String: ForeignValue]) -> String {
        row.sorted { $0.key < $1.key }.filter { $0.value != .null }
            .map { "\($0.key) \($0.value.short)" }.joined(separator: ", ")
    }
}
