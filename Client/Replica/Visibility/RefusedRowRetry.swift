internal import RoostModel

/// A further attempt to show records that a user's index has refused: the row in conflict may be gone.
struct RefusedRowRetry {
    let rows: RowStore
    let stamps: EffectiveStamps

    private static let recordsMax = 1000
    /// The number of passes. A record that is shown may make room for another.
    private static let passesMax = 2

    /// Tries to show the records again.
    ///
    /// - Parameter changed: Entities whose tables or indexes have changed: an index may be gone altogether.
    /// - Returns: The number of records that are shown again, or hidden with a cascade parent.
    func run(changed: Set<EntityID> = []) throws -> Int {
        var count = 0
        guard rows.occupancy.hasUnfit else { return count }
        let entities = try rows.layout.tables.filter { try changed.contains($0.entity) || rows.hasUsersIndex($0) }
            .map { "\($0.entity)" }
        guard !entities.isEmpty else { return count }
        for _ in 0..<Self.passesMax {
            let query = try rows.database.query(
                """
                SELECT entity, id, put FROM roost_unfit WHERE entity IN (\(entities.joined(separator: ", ")))
                ORDER BY entity, id LIMIT \(Self.recordsMax)
                """)
            var changes: [ChangedRecord] = []
            for (key, put) in try query.all({ ($0.key(0), $0.bytes(2)) }) {
                // A deleted record becomes hidden, or visible where deny rules keep it.
                guard let key, case let own = try stamps.own(key), own != .absent, try rows.place(of: key) == .nowhere,
                    try rows.showSetAside(put, of: key) == nil
                else { continue }
                changes.append(ChangedRecord(key: key, own: own))
            }
            guard !changes.isEmpty else { break }
            count += changes.count - (try Visibility(rows: rows, stamps: stamps).update(changes)).unfit
        }
        return count
    }
}
