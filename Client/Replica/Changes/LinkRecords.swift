internal import GRDB
internal import RoostMerge
internal import RoostModel

/// A renaming of link records to the identifiers that follow from their ends, so that a link is one record on all devices.
///
/// The library writes links under that identifier. A program that only uses SQL lets SQLite generate one.
struct LinkRecords {
    let rows: RowStore
    let stamps: EffectiveStamps
    private let outbox: Outbox

    init(rows: RowStore, stamps: EffectiveStamps) {
        self.rows = rows
        self.stamps = stamps
        outbox = Outbox(database: rows.database)
    }

    /// Whether records of an entity are links of a many-to-many relationship. The number of such an entity combines the numbers
    /// of the relationship and its owner.
    static func areLinks(_ entity: EntityID) -> Bool { entity.rawValue >> 16 != 0 }

    /// A link that is not deleted and whose identifier does not follow from its ends.
    private struct Misnamed {
        var change: Outbox.Waiting
        let new: RecordKey
        /// The location of the link's row.
        let place: RowStore.Place
        /// The confirmed slots under the former identifier.
        let confirmed: SlotStamps
        /// Whether a push in flight may contain the link under its former identifier.
        let isUnderWay: Bool
        /// Whether the row holds the confirmed put, so that no program on this device has written the link.
        let isFound: Bool
        /// The stored targets of the link's masked references.
        let masked: [PropertyID: RecordID]
        /// The current identifier of the link's row.
        var current: RecordID

        var old: RecordKey { change.key }
        var row: RecordKey { RecordKey(entity: new.entity, id: current) }
    }

    /// Returns the identifier that follows from the ends of a link; `nil` where it does not have both.
    private func identifier(of key: RecordKey) throws -> RecordID? {
        let ends = try rows.references(of: key)
        guard let source = ends.first(where: { $0.relationship == PropertyID(1) })?.target,
            let target = ends.first(where: { $0.relationship == PropertyID(2) })?.target
        else { return nil }
        return Schema.linkID(of: key.entity, source: source, target: target)
    }

    /// Returns a link that has to be renamed; `nil` where the record is none.
    private func misnamed(_ key: RecordKey, _ change: @autoclosure () throws -> Outbox.Waiting) throws -> Misnamed? {
        guard Self.areLinks(key.entity) else { return nil }
        let place = try rows.place(of: key)
        guard [.visible, .hidden(isDeleted: false)].contains(place), let id = try identifier(of: key), id != key.id
        else {
            return nil
        }
        let change = try change()
        let confirmed = try stamps.confirmed(key)
        let isUnderWay = try outbox.isUnderWay(key)
        return Misnamed(
            change: change, new: RecordKey(entity: key.entity, id: id), place: place, confirmed: confirmed,
            isUnderWay: isUnderWay,
            // A delete that an insert has undone was written here.
            isFound: try !isUnderWay && change.delete == nil && isStored(key, confirmed),
            masked: try rows.maskedReferences(of: key), current: key.id)
    }

    /// Whether a record's row holds its confirmed put, and the record is not deleted.
    private func isStored(_ key: RecordKey, _ confirmed: SlotStamps) throws -> Bool {
        guard let put = confirmed.put, confirmed.own == .put else { return false }
        return try rows.readablePut(of: key).map { ContentHash(of: $0) } == put.hash
    }

    /// Gives links that are not deleted the identifiers that follow from their ends, and removes a link whose identifier another
    /// link has already. Links may exchange identifiers, as links do whose targets were swapped.
    ///
    /// A hidden link is renamed as well: shown again, it would be another record than the same link of another device.
    ///
    /// - Parameters:
    ///   - changes: Pending changes, also of records that are not links. The record of a former identifier is deleted if the
    ///     server has it.
    ///   - moving: Called before rows are written.
    /// - Returns: The pending changes of each record from which or to which a link has moved.
    func rename(_ changes: [Outbox.Waiting], _ moving: () throws -> Void) throws -> [Outbox.Waiting] {
        var links = try changes.compactMap { try misnamed($0.key, $0) }
        guard !links.isEmpty else { return [] }
        try moving()
        try addOccupants(to: &links)
        let olds = Set(links.map(\.old))
        if links.contains(where: { olds.contains($0.new) }) { try moveAside(&links) }
        var renamed: [RecordKey: Outbox.Waiting] = [:]
        for link in links {
            try outbox.forget(link.old)
            try rows.removeMasks(of: link.old)
            renamed[link.old] = Outbox.Waiting(key: link.old, put: nil, delete: nil)
        }
        let news = Set(links.map(\.new))
        for link in links {
            let time = try time(of: link)
            if try wasRemoved(link) {
                try remove(link)
            } else {
                try move(link)
                // Links that exchange identifiers may leave a record as the server has it.
                let pending = try pending(of: link.new)
                let isStored =
                    try (link.isFound || olds.contains(link.new)) && pending.delete == nil
                    && isStored(link.new, stamps.confirmed(link.new))
                renamed[link.new] = try isStored ? renamed[link.new] ?? pending : put(pending, time)
            }
            guard !news.contains(link.old) else { continue }
            if link.confirmed.put != nil || link.isUnderWay {
                try outbox.add(link.old, .delete, time: UInt64(clamping: time))
                try rows.recordIrregular(link.old)
                renamed[link.old]?.delete = time
            } else {
                try removeCopy(of: link.old)
            }
        }
        // The entries count as settled, because the caller derives visibility.
        for key in renamed.keys { try outbox.settle(key) }
        return Array(renamed.values)
    }

    /// Adds links that have an identifier that another link needs, and have to move as well. They may belong to another part of a
    /// large transaction.
    private func addOccupants(to links: inout [Misnamed]) throws {
        var olds = Set(links.map(\.old))
        var index = 0
        while index < links.count {
            let link = links[index]
            index += 1
            guard !olds.contains(link.new), var occupant = try misnamed(link.new, pending(of: link.new)) else {
                continue
            }
            if occupant.change.put == nil { occupant.change.put = link.change.put ?? link.change.delete }
            links.append(occupant)
            olds.insert(link.new)
        }
    }

    /// Gives all links identifiers that no other link has, almost certainly.
    private func moveAside(_ links: inout [Misnamed]) throws {
        for index in links.indices {
            let link = links[index]
            let free = Schema.linkID(of: link.new.entity, source: link.current, target: link.new.id)
            try setID(of: link, to: free)
            links[index].current = free
        }
    }

    /// Returns the time of the changes that rename a link. A link that was found, or is in flight under its former identifier,
    /// needs a delete that is later than its put.
    private func time(of link: Misnamed) throws -> Int64 {
        guard link.isFound || link.isUnderWay else { return link.change.put ?? link.change.delete ?? 0 }
        let state = StateStore(database: rows.database)
        var clock = try state.hybridClock
        let time = clock.tick(wall: try rows.database.wallClock())
        try state.receive(clock.last)
        return Int64(clamping: time)
    }

    /// Whether a link that was found has been removed, under the identifier that it is to get, since it was written.
    private func wasRemoved(_ link: Misnamed) throws -> Bool {
        guard link.isFound, let written = link.confirmed.put?.stamp else { return false }
        let (put, delete) = try stamps.of(link.new)
        return delete.map { $0 > max(written, put ?? written) } ?? false
    }

    /// Gives a link's row its identifier, or removes the row where another one has that identifier.
    private func move(_ link: Misnamed) throws {
        switch try rows.place(of: link.new) {
        case .visible: return try remove(link)
        // A visible row replaces a hidden one when visibility is derived.
        case .hidden where link.place == .visible: break
        case .hidden(isDeleted: false): return try remove(link)
        case .hidden(isDeleted: true): try removeCopy(of: link.new)
        case .nowhere: break
        }
        try setID(of: link, to: link.new.id)
        for (relationship, target) in link.masked { try rows.mask(relationship, of: link.new, target: target) }
    }

    /// Adds the put of a link. Its time is later than a delete of the record that the program may have written before.
    private func put(_ pending: Outbox.Waiting, _ time: Int64) throws -> Outbox.Waiting {
        var change = pending
        let later = max(time, (change.put ?? 0) + 1, (change.delete ?? 0) + 1)
        try outbox.add(change.key, .put, time: UInt64(clamping: later))
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

    // MARK: Rows

    private func remove(_ link: Misnamed) throws {
        try write(link.new.entity, isDone: { try rows.place(of: link.row) != link.place }) { table in
            let query = try rows.database.query(
                link.place == .visible ? table.sql.removeVisible : table.sql.removeHidden)
            query.bind(1, link.current)
            return query
        }
    }

    /// Removes a hidden row that belongs to no record any more.
    ///
    /// Roost's trigger copies a row that a user's index may evict. Where the row was renamed instead of evicted, the copy belongs
    /// to no record. Neither does the row of a deleted link whose identifier another row gets.
    private func removeCopy(of key: RecordKey) throws {
        guard let table = rows.layout[key.entity] else { return }
        let query = try rows.database.query(table.sql.removeHidden)
        query.bind(1, key.id)
        try query.run()
    }

    private func setID(of link: Misnamed, to id: RecordID) throws {
        let key = RecordKey(entity: link.new.entity, id: id)
        try write(key.entity, isDone: { try rows.place(of: key) == link.place }) { table in
            let name = link.place == .visible ? table.visible : table.hidden
            let query = try rows.database.query(
                "UPDATE \(name) SET \"id\" = ?2 WHERE \(SQLName.column("id", of: name)) = ?1")
            query.bind(1, link.current)
            query.bind(2, id)
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
