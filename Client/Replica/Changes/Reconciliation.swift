internal import RoostModel

/// The comparison of records that triggers have marked with their rows and facts: a mark is only a hint.
///
/// A BEFORE trigger has run although the statement then left the row alone, and a row may be written without any change. An
/// unchanged row must get no stamp, with which it would win over an edit made elsewhere. A row that exists was not deleted.
struct Reconciliation {
    let rows: RowStore
    let stamps: EffectiveStamps
    private let outbox: Outbox
    /// The number of missing rows without a trace of a delete, by entity.
    private(set) var open: [EntityID: Int] = [:]

    init(rows: RowStore, stamps: EffectiveStamps) {
        self.rows = rows
        self.stamps = stamps
        outbox = Outbox(database: rows.database)
    }

    /// Decides which of the changes that the marks of a record claim really exist, and corrects its entry.
    ///
    /// - Parameters:
    ///   - change: The pending changes of the record, by its marks.
    ///   - confirmed: The fact of the record.
    /// - Returns: The pending changes that really exist; `nil` where there are none, and the entry is removed.
    mutating func run(_ change: Outbox.Waiting, _ confirmed: SlotStamps) throws -> Outbox.Waiting? {
        guard rows.layout[change.key.entity] != nil else { return change }
        // A new row is marked after it was written, so its mark is right.
        if confirmed == SlotStamps(), change.delete == nil, !rows.layout.hasUserTriggers { return change }
        let real =
            switch try rows.place(of: change.key) {
            case .visible: try existing(change, confirmed)
            case .hidden(isDeleted: true): deleted(change, confirmed)
            // A delete rule has hidden a row that existed.
            case .hidden(isDeleted: false): try existing(change, confirmed)
            case .nowhere: try nowhere(change, confirmed)
            }
        guard let real else {
            try outbox.forget(change.key)
            return nil
        }
        if real.put != change.put || real.delete != change.delete { try outbox.set(real) }
        return real
    }

    private func existing(_ change: Outbox.Waiting, _ confirmed: SlotStamps) throws -> Outbox.Waiting? {
        // An undelete by the library has to win over what other replicas have done meanwhile.
        if let put = change.put, let delete = change.delete, delete < put, try outbox.isLastOfLibrary(change.key) {
            return change
        }
        if try isUnchanged(change.key, confirmed) { return nil }
        // The row exists, so an insert has undone the delete, as REPLACE does.
        return Outbox.Waiting(key: change.key, put: [change.put, change.delete].compactMap(\.self).max(), delete: nil)
    }

    /// Whether a row holds exactly the confirmed content of its record.
    private func isUnchanged(_ key: RecordKey, _ confirmed: SlotStamps) throws -> Bool {
        guard let put = confirmed.put, try confirmed.own == .put || isKept(key) else { return false }
        guard try rows.readablePut(of: key).map({ ContentHash(of: $0) }) == put.hash else { return false }
        // A change in flight may be newer than the fact.
        return try !outbox.isUnderWay(key)
    }

    /// Whether a deny reference keeps a deleted record visible.
    private func isKept(_ key: RecordKey) throws -> Bool {
        let query = try rows.database.query("SELECT 1 FROM roost_kept WHERE entity = ? AND id = ?")
        query.bind(1, key.entity.rawValue)
        query.bind(2, key.id)
        return try query.first { _ in true } ?? false
    }

    /// Returns the pending changes of a row that was deleted and not inserted again.
    private func deleted(_ change: Outbox.Waiting, _ confirmed: SlotStamps) -> Outbox.Waiting? {
        guard let delete = change.delete else { return confirmed.own == .deleted ? nil : change }
        // No trigger has recorded the insert. A put is sent along with the delete, so that the content can be restored.
        if change.put == nil, confirmed == SlotStamps() {
            return Outbox.Waiting(key: change.key, put: delete, delete: delete + 1)
        }
        guard let put = change.put, put > delete else { return change }
        return Outbox.Waiting(key: change.key, put: put, delete: put + 1)
    }

    private mutating func nowhere(_ change: Outbox.Waiting, _ confirmed: SlotStamps) throws -> Outbox.Waiting? {
        // The settlement handles records that are set aside, when it derives visibility.
        if try rows.isUnfit(change.key) { return change }
        guard confirmed.own == .put else { return nil }
        guard let delete = change.delete, change.put.map({ $0 < delete }) ?? true else {
            open[change.key.entity, default: 0] += 1
            return nil
        }
        // The content is lost. So a put before the delete cannot be sent, and the row cannot be compared with its fact.
        try rows.recordIrregular(change.key)
        return Outbox.Waiting(key: change.key, put: nil, delete: delete)
    }
}
