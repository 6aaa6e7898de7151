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

    /// A visible link under another identifier than its own.
    private struct Misnamed {
        let change: Outbox.Waiting
        let new: RecordKey
        /// The identifier of its row now.
        var current: RecordID

        var row: RecordKey { RecordKey(entity: new.entity, id: current) }
    }

    /// The record that a visible link should be; `nil` where it is that, or is not visible.
    private func record(for key: RecordKey) throws -> RecordKey? {
        guard Self.areLinks(key.entity), try rows.place(of: key) == .visible else { return nil }
        let ends = try rows.references(of: key)
        guard let source = ends.first(where: { $0.relationship == PropertyID(1) })?.target,
            let target = ends.first(where: { $0.relationship == PropertyID(2) })?.target
        else { return nil }
        let id = Schema.linkID(of: key.entity, source: source, target: target)
        return id == key.id ? nil : RecordKey(entity: key.entity, id: id)
    }

    /// Gives visible links their identifiers, and removes those of a link that is there already. Links may take the identifiers of each
    /// other, as those do whose targets were swapped.
    ///
    /// - Parameters:
    ///   - changes: Pending changes, also of other records.
    ///   - confirmed: The confirmed slots of a record: that of an earlier identifier is deleted where the server has it.
    ///   - moving: Called before rows are written.
    /// - Returns: The pending changes of all records that were moved from or to, each once.
    func rename(
        _ changes: [Outbox.Waiting], _ confirmed: (RecordKey) throws -> SlotStamps, _ moving: () throws -> Void
    ) throws -> [Outbox.Waiting] {
        var misnamed = try changes.compactMap { change in
            try record(for: change.key).map { Misnamed(change: change, new: $0, current: change.key.id) }
        }
        guard !misnamed.isEmpty else { return [] }
        try moving()
        var olds = Set(misnamed.map(\.change.key))
        // One that is in the way may be to move as well, and be of another part of a large transaction.
        var index = 0
        while index < misnamed.count {
            let link = misnamed[index]
            index += 1
            guard !olds.contains(link.new), let new = try record(for: link.new) else { continue }
            var change = try pending(of: link.new)
            if change.put == nil { change.put = link.change.put ?? link.change.delete }
            misnamed.append(Misnamed(change: change, new: new, current: link.new.id))
            olds.insert(link.new)
        }
        if misnamed.contains(where: { olds.contains($0.new) }) {
            for index in misnamed.indices {
                let link = misnamed[index]
                // Nobody else's, as good as certainly.
                let free = Schema.linkID(of: link.new.entity, source: link.current, target: link.new.id)
                try setID(of: link.current, to: free, link.new.entity)
                misnamed[index].current = free
            }
        }
        var renamed: [RecordKey: Outbox.Waiting] = [:]
        for link in misnamed {
            try outbox.forget(link.change.key)
            renamed[link.change.key] = Outbox.Waiting(key: link.change.key, put: nil, delete: nil)
        }
        let news = Set(misnamed.map(\.new))
        for link in misnamed {
            let time = link.change.put ?? link.change.delete ?? 0
            if try rows.place(of: link.new) == .visible {
                try remove(link)
            } else {
                try setID(of: link.current, to: link.new.id, link.new.entity)
            }
            // A link that another one has become again is as the server has it.
            if try !olds.contains(link.new) || confirmed(link.new).own != .put {
                renamed[link.new] = try put(link.new, time)
            }
            let old = link.change.key
            let isConfirmed = try confirmed(old).put != nil
            if !isConfirmed { try removeCopy(of: old) }
            if !news.contains(old), isConfirmed {
                try outbox.add(old, .delete, time: UInt64(clamping: time))
                try rows.noteIrregular(old)
                renamed[old]?.delete = time
            }
        }
        // The caller derives visibility.
        for key in renamed.keys { try outbox.settle(key) }
        return Array(renamed.values)
    }

    /// Adds the put of a link that is visible: it comes after the delete of its record that the same program may have written before.
    private func put(_ key: RecordKey, _ time: Int64) throws -> Outbox.Waiting {
        var change = try pending(of: key)
        let later = max(time, (change.put ?? 0) + 1, (change.delete ?? 0) + 1)
        try outbox.add(key, .put, time: UInt64(clamping: later))
        change.put = later
        return change
    }

    private func pending(of key: RecordKey) throws -> Outbox.Waiting {
        let query = try rows.database.query("SELECT put_stamp, del_stamp FROM roost_outbox WHERE entity = ? AND id = ?")
        query.bind(1, key.entity.rawValue)
        query.bind(2, key.id)
        let (put, delete) = try query.first { ($0.optionalInteger(0), $0.optionalInteger(1)) } ?? (nil, nil)
        return Outbox.Waiting(key: key, put: put, delete: delete)
    }

    private func remove(_ link: Misnamed) throws {
        try write(link.new.entity, isDone: { try rows.place(of: link.row) != .visible }) { table in
            let query = try rows.database.query(table.sql.removeVisible)
            query.bind(1, link.current)
            return query
        }
    }

    /// A trigger copies a row that a user's index may evict. Where the row stayed it was renamed, and the copy belongs to no record.
    private func removeCopy(of key: RecordKey) throws {
        guard let table = rows.layout[key.entity] else { return }
        let query = try rows.database.query(table.sql.removeHidden)
        query.bind(1, key.id)
        try query.run()
    }

    private func setID(of id: RecordID, to new: RecordID, _ entity: EntityID) throws {
        try write(entity, isDone: { try rows.place(of: RecordKey(entity: entity, id: new)) == .visible }) { table in
            let query = try rows.database.query(
                "UPDATE \(table.visible) SET \"id\" = ?2 WHERE \(SQLName.column("id", of: table.visible)) = ?1")
            query.bind(1, id)
            query.bind(2, new)
            return query
        }
    }

    /// Runs a statement, also where a trigger of another program refuses, ignores or undoes it.
    private func write(_ entity: EntityID, isDone: () throws -> Bool, _ statement: (EntityTable) throws -> Query) throws
    {
        guard let table = rows.layout[entity] else { return }
        _ = try UserTriggers.guarding(rows.database, isDone: { $0 }) {
            try statement(table).run()
            return try !table.additions.hasTriggers || isDone()
        }
    }
}
