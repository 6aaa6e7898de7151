internal import GRDB
internal import RoostModel

/// A renaming of link records that other programs have written. Each gets the identifier that follows from its ends, so that a
/// link is one record on all devices.
///
/// The library writes links under that identifier. A program that only uses SQL lets SQLite generate one.
struct LinkRecords {
    let rows: RowStore
    let outbox: Outbox

    /// Whether records of an entity are links of a many-to-many relationship. The number of such an entity combines the numbers
    /// of the relationship and its owner.
    static func areLinks(_ entity: EntityID) -> Bool { entity.rawValue >> 16 != 0 }

    /// A visible link whose identifier does not follow from its ends.
    private struct Misnamed {
        let change: Outbox.Waiting
        let new: RecordKey
        /// The current identifier of the link's row.
        var current: RecordID

        var row: RecordKey { RecordKey(entity: new.entity, id: current) }
    }

    /// Returns the record key that follows from the ends of a visible link; `nil` where the link has it, or is not visible.
    private func record(for key: RecordKey) throws -> RecordKey? {
        guard Self.areLinks(key.entity), try rows.place(of: key) == .visible else { return nil }
        let ends = try rows.references(of: key)
        guard let source = ends.first(where: { $0.relationship == PropertyID(1) })?.target,
            let target = ends.first(where: { $0.relationship == PropertyID(2) })?.target
        else { return nil }
        let id = Schema.linkID(of: key.entity, source: source, target: target)
        return id == key.id ? nil : RecordKey(entity: key.entity, id: id)
    }

    /// Gives visible links the identifiers that follow from their ends, and removes a link whose identifier another link has
    /// already. Links may exchange identifiers, as links do whose targets were swapped.
    ///
    /// - Parameters:
    ///   - changes: Pending changes, also of records that are not links.
    ///   - confirmed: Returns the confirmed slots of a record. The record of a former identifier is deleted if the server has it.
    ///   - moving: Called before rows are written.
    /// - Returns: The pending changes of each record from which or to which a link has moved.
    func rename(
        _ changes: [Outbox.Waiting], _ confirmed: (RecordKey) throws -> SlotStamps, _ moving: () throws -> Void
    ) throws -> [Outbox.Waiting] {
        var misnamed = try changes.compactMap { change in
            try record(for: change.key).map { Misnamed(change: change, new: $0, current: change.key.id) }
        }
        guard !misnamed.isEmpty else { return [] }
        try moving()
        var olds = Set(misnamed.map(\.change.key))
        // A link that has a needed identifier may have to move as well, and may belong to another part of a large transaction.
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
                // No other link has this identifier, almost certainly.
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
            // A renamed link may get an identifier that another row has left. Equal identifiers mean equal ends, so no put is
            // needed where the server has that record.
            if try !olds.contains(link.new) || confirmed(link.new).own != .put {
                renamed[link.new] = try put(link.new, time)
            }
            let old = link.change.key
            let isConfirmed = try confirmed(old).put != nil
            if !isConfirmed { try removeCopy(of: old) }
            if !news.contains(old), isConfirmed {
                try outbox.add(old, .delete, time: UInt64(clamping: time))
                try rows.recordIrregular(old)
                renamed[old]?.delete = time
            }
        }
        // The entries count as settled, because the caller derives visibility.
        for key in renamed.keys { try outbox.settle(key) }
        return Array(renamed.values)
    }

    /// Adds the put of a visible link. Its time is later than a delete of the record that the program may have written before.
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

    /// Removes the hidden copy of a row that was renamed.
    ///
    /// Roost's trigger copies a row that a user's index may evict. Where the row was renamed instead of evicted, the copy belongs
    /// to no record.
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

    /// Runs a statement, and bypasses user triggers that refuse, ignore or undo it.
    private func write(_ entity: EntityID, isDone: () throws -> Bool, _ statement: (EntityTable) throws -> Query) throws
    {
        guard let table = rows.layout[entity] else { return }
        _ = try UserTriggers.guarding(rows.database, isDone: { $0 }) {
            try statement(table).run()
            return try !table.additions.hasTriggers || isDone()
        }
    }
}
