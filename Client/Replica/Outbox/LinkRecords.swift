internal import GRDB
internal import RoostModel

/// Gives link records that other programs have written the identifier that follows from their ends, so that the same link is one record on
/// all devices.
///
/// The library writes links under that identifier. A program that only knows SQL lets SQLite make one.
struct LinkRecords {
    let rows: RowStore
    let outbox: Outbox

    /// Whether records of an entity are links of a many-to-many relationship: their entities have the numbers of both its owner and it.
    static func areLinks(_ entity: EntityID) -> Bool { entity.rawValue >> 16 != 0 }

    /// The identifier that a visible link should have; `nil` where it has it, or is not visible.
    func identifier(for key: RecordKey) throws -> RecordID? {
        guard Self.areLinks(key.entity), try rows.place(of: key) == .visible else { return nil }
        let ends = try rows.references(of: key)
        guard let source = ends.first(where: { $0.relationship == PropertyID(1) })?.target,
            let target = ends.first(where: { $0.relationship == PropertyID(2) })?.target
        else { return nil }
        let id = Schema.linkID(of: key.entity, source: source, target: target)
        return id == key.id ? nil : id
    }

    /// Moves a visible link to another identifier, or removes it where the link is there already.
    ///
    /// - Parameters:
    ///   - change: What waits of it.
    ///   - confirmed: Its fact: the record of its old identifier is deleted where the server has it.
    /// - Returns: What waits of both records afterwards.
    func move(_ change: Outbox.Waiting, _ confirmed: SlotStamps, to id: RecordID) throws -> [Outbox.Waiting] {
        guard let table = rows.layout[change.key.entity], let time = change.put ?? change.delete else {
            return [change]
        }
        let new = RecordKey(entity: change.key.entity, id: id)
        if try rows.place(of: new) == .visible {
            let query = try rows.database.query(table.sql.removeVisible)
            query.bind(1, change.key.id)
            try query.run()
        } else {
            let query = try rows.database.query(
                "UPDATE \(table.visible) SET \"id\" = ?2 WHERE \(SQLName.column("id", of: table.visible)) = ?1")
            query.bind(1, change.key.id)
            query.bind(2, id)
            try query.run()
        }
        try outbox.forget(change.key)
        try outbox.add(new, .put, time: UInt64(clamping: time))
        var changes = [Outbox.Waiting(key: new, put: time, delete: nil)]
        if confirmed.put != nil {
            try outbox.add(change.key, .delete, time: UInt64(clamping: time))
            try rows.noteIrregular(change.key)
            changes.append(Outbox.Waiting(key: change.key, put: nil, delete: time))
        }
        // The caller derives visibility.
        for moved in changes { try outbox.settle(moved.key) }
        return changes
    }
}
