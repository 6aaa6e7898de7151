internal import GRDB
internal import RoostModel

/// Moves the records of changed tables into the new ones, and derives visibility.
struct RecordMigration {
    private let database: Database
    private let old: Layout
    private let new: Layout
    private let comparison: SchemaComparison
    private let oldRows: RowStore
    private let rows: RowStore
    private let stamps: EffectiveStamps
    /// Records whose visibility has to be derived.
    private var changes: [ChangedRecord] = []

    /// The number of records that were set aside and fit now.
    private(set) var shown = 0
    /// The number of records that were set aside by the migration.
    private(set) var setAside = 0

    private static let recordsAtOnce = 500

    init(_ database: Database, from old: Layout, to new: Layout, _ comparison: SchemaComparison) throws {
        self.database = database
        (self.old, self.new, self.comparison) = (old, new, comparison)
        oldRows = try RowStore(database, old)
        rows = try RowStore(database, new)
        stamps = EffectiveStamps(database: database, replica: try StateStore(database: database).replica)
    }

    /// Moves each record to its place in the new version.
    mutating func move() throws {
        for table in old.tables where comparison.changed.contains(table.entity) {
            guard let now = new[table.entity] else { continue }
            try eachRecord(of: table) { migration, key, place in try migration.move(key, from: table, to: now, place) }
        }
        for table in old.tables where comparison.removed.contains(table.entity) {
            try eachRecord(of: table) { migration, key, _ in try migration.giveUp(key) }
        }
    }

    /// Shows the set-aside records that fit now, and derives visibility. Records that a user index refuses are set aside.
    mutating func derive() throws {
        try revert()
        for table in new.tables where comparison.unsettled.contains(table.entity) {
            try eachRecord(of: table) { migration, key, _ in try migration.recordChange(of: key) }
        }
        setAside += try Visibility(rows: rows, stamps: stamps).update(changes).unfit
        // Entries of rules that the new version does not have.
        if !new.rules.usesDeny { try database.query("DELETE FROM roost_kept").run() }
        if new.rules.treeEntities.isEmpty { try database.query("DELETE FROM roost_dropped").run() }
    }

    /// Calls `body` with each record of the visible and of the hidden table. Records are read in batches, so that `body` may
    /// write to either table.
    private mutating func eachRecord(
        of table: EntityTable, _ body: (inout RecordMigration, RecordKey, RowStore.Place) throws -> Void
    ) throws {
        let places = ["SELECT id, -1 FROM \(table.visible)", "SELECT id, roost_deleted FROM \(table.hidden)"]
        for select in places {
            var last: RecordID?
            while true {
                let condition = last == nil ? "" : "WHERE id > ?"
                let query = try database.query("\(select) \(condition) ORDER BY id LIMIT \(Self.recordsAtOnce)")
                if let last { query.bind(1, last) }
                let found = try query.all { ($0.id(0), $0.integer(1)) }
                for (id, mark) in found {
                    guard let id else { continue }
                    last = id
                    let place = mark < 0 ? RowStore.Place.visible : .hidden(isDeleted: mark != 0)
                    try body(&self, RecordKey(entity: table.entity, id: id), place)
                }
                if found.count < Self.recordsAtOnce { break }
            }
        }
    }

    private mutating func recordChange(of key: RecordKey) throws {
        changes.append(ChangedRecord(key: key, own: try rows.isUnfit(key) ? .absent : stamps.own(key)))
    }

    // MARK: One record

    private mutating func move(
        _ key: RecordKey, from table: EntityTable, to now: EntityTable, _ place: RowStore.Place
    ) throws {
        guard let put = try oldRows.encodedPut(of: key) else { return }
        let masked = try masked(key, of: table, place)
        let isIrregular = try oldRows.isIrregular(key)
        do {
            try RowCoding(now).withRow(put) { row in
                if case .hidden(let isDeleted) = place {
                    let insert = try database.query("INSERT INTO \(now.hidden)(id, roost_deleted) VALUES (?, ?)")
                    insert.bind(1, key.id)
                    insert.bind(2, isDeleted ? 1 : 0)
                    try insert.run()
                }
                try rows.write(row, to: key, in: now, place)
            }
            if isIrregular { try rows.recordIrregular(key) }
        } catch let unfit as RowCoding.Unfit {
            try rows.setAside(put, of: key, reason: unfit.reason, isIrregular: isIrregular)
            setAside += 1
            return try recordChange(of: key)
        }
        // Masked references stay masked, unless visibility is derived again for the whole entity.
        guard !masked.isEmpty, !comparison.unsettled.contains(key.entity) else { return }
        for (relationship, target) in masked {
            guard let column = now.column(of: relationship) else { continue }
            try rows.mask(relationship, of: key, target: target)
            let hide = try database.query(
                "UPDATE \(place == .visible ? now.visible : now.hidden) SET \(column.quoted) = NULL WHERE id = ?")
            hide.bind(1, key.id)
            try hide.run()
        }
    }

    /// Returns the stored targets of the record's masked references. An untracked write may have replaced a masked reference
    /// without removing its stored target; such a target is left out.
    private func masked(
        _ key: RecordKey, of table: EntityTable, _ place: RowStore.Place
    ) throws -> [PropertyID: RecordID] {
        try oldRows.maskedReferences(of: key).filter { relationship, _ in
            guard let column = table.column(of: relationship) else { return false }
            let name = place == .visible ? table.visible : table.hidden
            let query = try database.query("SELECT 1 FROM \(name) WHERE id = ? AND \(column.quoted) IS NULL")
            query.bind(1, key.id)
            return try query.first { _ in true } ?? false
        }
    }

    /// Sets a record aside whose entity the new version does not have.
    private mutating func giveUp(_ key: RecordKey) throws {
        guard let put = try oldRows.encodedPut(of: key) else { return }
        let isIrregular = try oldRows.isIrregular(key)
        try rows.setAside(
            put, of: key, reason: RowCoding.Unfit(unknown: key.entity).reason, isIrregular: isIrregular)
        setAside += 1
    }

    /// Shows the set-aside records that fit now.
    private mutating func revert() throws {
        var last: (entity: Int64, id: RecordID)?
        while true {
            let condition = last == nil ? "" : "WHERE (entity, id) > (?, ?)"
            let query = try database.query(
                "SELECT entity, id, put FROM roost_unfit \(condition) ORDER BY entity, id LIMIT \(Self.recordsAtOnce)")
            if let last {
                query.bind(1, last.entity)
                query.bind(2, last.id)
            }
            let found = try query.all { ($0.key(0), $0.bytes(2)) }
            for (key, put) in found {
                guard let key else { continue }
                last = (Int64(key.entity.rawValue), key.id)
                // The record has been written on this device since it was set aside.
                guard try rows.place(of: key) == .nowhere else {
                    try rows.forgetUnfit(key)
                    continue
                }
                if let unfit = try rows.showSetAside(put, of: key) {
                    // The reason may differ from the previous one.
                    let isIrregular = try rows.isIrregular(key)
                    try rows.setAside(put, of: key, reason: unfit.reason, isIrregular: isIrregular)
                    continue
                }
                shown += 1
                try recordChange(of: key)
            }
            if found.count < Self.recordsAtOnce { return }
        }
    }
}
