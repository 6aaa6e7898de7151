internal import GRDB
internal import RoostModel

/// Reads and writes whole records in the visible and hidden tables of a replica, inside one transaction.
final class RowStore {
    /// Where a record's put slot lies.
    enum Place: Hashable {
        case visible
        /// Not shown; `deleted` where its own delete is the reason.
        case hidden(isDeleted: Bool)
        case nowhere
    }

    let database: Database
    let layout: Layout
    /// As it was when this was made, with what was written by this store since.
    private(set) var occupancy: TableOccupancy
    /// Whether hidden tables held anything when first asked: nothing is hidden before all records are written.
    private var hiddenTables: [EntityID: Bool] = [:]
    private var lastHidden: (entity: EntityID, isThere: Bool)?
    private var lastUpsert: (entity: EntityID, query: Query)?
    private var lastNew: (entity: EntityID, query: Query)?
    private var lastUpdate: (entity: EntityID, query: Query)?
    private var lastVisible: (entity: EntityID, query: Query)?
    private var lastInsert: (entity: EntityID, query: Query)?
    /// Why the content of records cannot be sent, of those that were read; a record that is read again without a fault leaves it.
    private(set) var faults: [RecordKey: String] = [:]
    /// The table that was asked for last, and whether it may refuse what the schema allows.
    private var lastUsersIndex: (entity: EntityID, isThere: Bool)?

    convenience init(_ database: Database, _ layout: Layout) throws {
        self.init(database, layout, try TableOccupancy.besideRows(database))
    }

    /// - Parameter occupancy: As it is now, in this transaction.
    init(_ database: Database, _ layout: Layout, _ occupancy: TableOccupancy) {
        self.database = database
        self.layout = layout
        self.occupancy = occupancy
    }

    func place(of key: RecordKey) throws -> Place {
        guard let table = layout[key.entity] else { return .nowhere }
        let query = try database.query(table.sql.place)
        query.bind(1, key.id)
        return switch try query.first({ $0.optionalInteger(0) }) ?? nil {
        case EntityStatements.visible: .visible
        case let mark?: .hidden(isDeleted: mark != 0)
        case nil: .nowhere
        }
    }

    /// As ``place(of:)``, of a record that is known not to be visible.
    func placeOfInvisible(_ key: RecordKey) throws -> Place {
        guard let table = layout[key.entity] else { return .nowhere }
        let hidden = try database.query(table.sql.isHidden)
        hidden.bind(1, key.id)
        return try hidden.first { .hidden(isDeleted: $0.integer(0) != 0) } ?? .nowhere
    }

    /// The content of a visible record as it is now, encoded; `nil` where it is not visible. With it its stored references, where they are all
    /// shown: they are in the row that is read anyway.
    func visibleContent(of key: RecordKey) throws -> (encoded: [UInt8], references: [Put.Reference]?)? {
        guard let table = layout[key.entity] else { return nil }
        var references: [Put.Reference]?
        let encoded = try encoded(key, table, visibleRow(table), maskedReferences(of: key), extra(of: key)) { row in
            if !occupancy.hasMasks { references = RowCoding(table).references(in: row, from: 1) }
        }
        return encoded.map { ($0, references) }
    }

    /// The statement that reads a visible row, looked up once for as long as one entity's records come.
    private func visibleRow(_ table: EntityTable) throws -> Query {
        if let lastVisible, lastVisible.entity == table.entity { return lastVisible.query }
        let query = try database.query(table.sql.visibleRow)
        lastVisible = (table.entity, query)
        return query
    }

    func encoded(
        _ key: RecordKey, _ table: EntityTable, _ query: Query,
        _ masked: @autoclosure () throws -> [PropertyID: RecordID], _ extra: @autoclosure () throws -> RowExtra?,
        also read: (Query) -> Void = { _ in }
    ) throws -> [UInt8]? {
        try query.with(1, key.id) {
            try query.first { row in
                read(row)
                let encoding = try RowCoding(table).encode(row, from: 1, masked: try masked(), extra: try extra())
                if encoding.fault != nil || !faults.isEmpty { faults[key] = encoding.fault }
                return encoding.bytes
            }
        }
    }

    /// The put slot's content as it is now, encoded; `nil` where there is none.
    func encodedPut(of key: RecordKey) throws -> [UInt8]? {
        guard let table = layout[key.entity] else { return try unfitPut(of: key) }
        #if ROOST_SEEDED_BUGS
            let masked = SeededBug.nilOverShownNil.isOn ? [:] : try maskedReferences(of: key)
        #else
            let masked = try maskedReferences(of: key)
        #endif
        let extra = try extra(of: key)
        return try encoded(key, table, visibleRow(table), masked, extra)
            ?? encoded(key, table, try database.query(table.sql.hiddenRow), masked, extra) ?? unfitPut(of: key)
    }

    /// As ``encodedPut(of:)``; `nil` also where what is kept beside the row is damaged.
    func readablePut(of key: RecordKey) throws -> [UInt8]? {
        do {
            return try encodedPut(of: key)
        } catch is ContentError {
            return nil
        }
    }

    /// The stored references of a record, including those that read nil.
    func references(of key: RecordKey) throws -> [Put.Reference] {
        guard let table = layout[key.entity], !table.references.isEmpty else { return [] }
        let masked = try maskedReferences(of: key)
        let columns = table.references
        for sql in [table.sql.visibleReferences, table.sql.hiddenReferences] {
            let query = try database.query(sql)
            query.bind(1, key.id)
            let found = try query.first { row in
                columns.enumerated().compactMap { index, column in
                    (row.id(Int32(index)) ?? masked[column.property]).map {
                        Put.Reference(relationship: column.property, target: $0)
                    }
                }
            }
            if let found { return found }
        }
        return []
    }

    func maskedReferences(of key: RecordKey) throws -> [PropertyID: RecordID] {
        guard occupancy.hasMasks else { return [:] }
        let query = try database.query("SELECT relationship, target FROM roost_raw WHERE entity = ? AND id = ?")
        query.bind(1, key.entity.rawValue)
        query.bind(2, key.id)
        var masked: [PropertyID: RecordID] = [:]
        while try query.step() {
            // In a damaged file it may name none.
            guard let relationship = UInt32(exactly: query.integer(0)) else { continue }
            masked[PropertyID(relationship)] = query.id(1)
        }
        return masked
    }

    /// Writes a put's content where the record lies, or into the visible table for a new one. References go in as stored.
    ///
    /// - Parameter replacing: For a record of which nothing is known: called before a visible row of its identifier is replaced all the same.
    /// - Throws: ``RowCoding/Unfit`` where the table does not take it; nothing is written then.
    func write(
        _ row: RowCoding.Row, to key: RecordKey, in table: EntityTable, _ place: Place,
        replacing: (() throws -> Void)? = nil
    ) throws {
        let isHidden = if case .hidden = place { true } else { false }
        let isThere = try !isHidden && table.additions.hasTriggers && self.place(of: key) == .visible
        if !isHidden, let replacing {
            if try !isThere && run(row, of: key, in: table, mustWrite: false, { try insertUnlessThere(table) }) > 0 {
                try write(extra: row.extra, of: key)
                return try removeMasks(of: key)
            }
            try replacing()
        }
        _ = try run(row, of: key, in: table, mustWrite: !table.columns.isEmpty) {
            guard !isHidden else { return try database.query(table.sql.updateHidden) }
            return isThere ? try database.query(table.sql.updateVisible) : try upsert(table)
        }
        try write(extra: row.extra, of: key)
        try removeMasks(of: key)
    }

    /// Whether a row is refused, and not the file that fails: a constraint, or an expression that an index of the user's cannot compute.
    static func isRefusal(_ error: DatabaseError) -> Bool {
        [.SQLITE_CONSTRAINT, .SQLITE_ERROR, .SQLITE_TOOBIG].contains(error.resultCode)
    }

    static func reason(of refusal: DatabaseError) -> String { refusal.message ?? "The table refuses the content." }

    /// Writes the attributes of a visible record whose references stay as they are: their indexes need not be touched.
    ///
    /// - Returns: Whether that was so, and is done.
    /// - Throws: ``RowCoding/Unfit`` where the table does not take them; nothing is written then.
    func writeAttributes(_ row: RowCoding.Row, to key: RecordKey, in table: EntityTable) throws -> Bool {
        guard !occupancy.hasMasks, !table.references.isEmpty, let sql = table.sql.updateAttributes else { return false }
        guard try run(row, of: key, in: table, mustWrite: false, { try updateAttributes(table, sql) }) > 0 else {
            return false
        }
        try write(extra: row.extra, of: key)
        return true
    }

    /// Writes a new visible row as other programs do, so that triggers see it.
    ///
    /// - Returns: `false` where a trigger of the user's has passed over it.
    func insertVisible(_ key: RecordKey, in table: EntityTable, _ values: [Value]) throws -> Bool {
        let query: Query
        if let lastInsert, lastInsert.entity == key.entity {
            query = lastInsert.query
        } else {
            query = try database.query(table.sql.insert)
            lastInsert = (key.entity, query)
        }
        query.bind(1, key.id)
        for index in values.indices { query.bind(Int32(index + 2), values[index]) }
        try query.run()
        return query.rowsWritten > 0
    }

    /// Whether nothing of a record lies anywhere but in the visible table, so that its row may wait for others.
    ///
    /// None does where the user has an index: which rows that refuses depends on the order in which they come.
    func mayWait(_ key: RecordKey, in table: EntityTable) throws -> Bool {
        guard try !hasUsersIndex(table), !table.additions.hasTriggers else { return false }
        if occupancy.hasMasks, try isThere(key, in: "roost_raw") { return false }
        if occupancy.hasExtras, try isThere(key, in: "roost_extra") { return false }
        if occupancy.hasUnfit, try isThere(key, in: "roost_unfit") { return false }
        return try placeToWrite(key, in: table) == .visible
    }

    func hasUsersIndex(_ table: EntityTable) throws -> Bool {
        if let lastUsersIndex, lastUsersIndex.entity == table.entity { return lastUsersIndex.isThere }
        let result = try UsersOwn.hasIndex(on: table.table, database)
        lastUsersIndex = (table.entity, result)
        return result
    }

    private func isThere(_ key: RecordKey, in table: String) throws -> Bool {
        let query = try database.query("SELECT 1 FROM \(table) WHERE entity = ? AND id = ?")
        query.bind(1, key.entity.rawValue)
        return try query.with(2, key.id) { try query.first { _ in true } } != nil
    }

    /// What has become of the rows of a batch.
    enum BatchWriting: Hashable {
        /// All were there, and have new attributes.
        case inPlace
        /// All are written, and some or all were not there.
        case anew
        /// Some may be written, and with `isAnew` some that were not there; each is to be written by itself.
        case incomplete(isAnew: Bool)
    }

    /// Writes the rows of a full batch, each of which ``mayWait(_:in:)`` let wait.
    func write(_ batch: RowBatch) throws -> BatchWriting {
        guard batch.isFull, let statements = batch.table.sql.batches,
            let sql = batch.areNew ? statements.insert : statements.edit
        else { return .incomplete(isAnew: false) }
        let query = try database.query(sql)
        let places = 1 + batch.table.columns.count
        do {
            try WideWords.withRoom(for: RowBatch.size * (1 + batch.table.references.count)) { words in
                for (index, entry) in batch.entries.enumerated() {
                    bind(entry.row, of: entry.key, in: batch.table, to: query, from: Int32(index * places + 1), &words)
                }
                query.forgetInserted()
                try query.run()
            }
        } catch let error as DatabaseError where Self.isRefusal(error) {
            return .incomplete(isAnew: query.hasInserted)
        }
        guard query.rowsWritten == batch.entries.count else { return .incomplete(isAnew: query.hasInserted) }
        return query.hasInserted ? .anew : .inPlace
    }

    /// - Parameters:
    ///   - mustWrite: Whether a row has to be written, which a trigger of another program may keep from being.
    ///   - query: The statement, looked up anew where triggers are bypassed.
    /// - Returns: How many rows were written.
    private func run(
        _ row: RowCoding.Row, of key: RecordKey, in table: EntityTable, mustWrite: Bool, _ query: () throws -> Query
    ) throws -> Int {
        func write() throws -> Int {
            let query = try query()
            try WideWords.withRoom(for: 1 + table.references.count) { words in
                bind(row, of: key, in: table, to: query, from: 1, &words)
                try query.run()
            }
            return query.rowsWritten
        }
        do {
            guard table.additions.hasTriggers else { return try write() }
            return try UserTriggers.guarding(database, isDone: { !mustWrite || $0 > 0 }, write)
        } catch let error as DatabaseError where Self.isRefusal(error) {
            throw RowCoding.Unfit(reason: Self.reason(of: error))
        }
    }

    private func bind(
        _ row: RowCoding.Row, of key: RecordKey, in table: EntityTable, to query: Query, from first: Int32,
        _ words: inout WideWords
    ) {
        query.bind(first, words.add(key.id))
        let cells = row.cells
        for index in cells.indices {
            let place = first + 1 + Int32(index)
            switch cells[index] {
            case .absent: query.bind(place, table.defaults[index])
            case .attribute(let value): query.bind(place, inPlace: value)
            case .reference(let target): query.bind(place, words.add(target))
            }
        }
    }

    private func updateAttributes(_ table: EntityTable, _ sql: String) throws -> Query {
        if let lastUpdate, lastUpdate.entity == table.entity { return lastUpdate.query }
        let query = try database.query(sql)
        lastUpdate = (table.entity, query)
        return query
    }

    /// The statement that writes visible rows, looked up once for as long as one entity's records come.
    private func insertUnlessThere(_ table: EntityTable) throws -> Query {
        if let lastNew, lastNew.entity == table.entity { return lastNew.query }
        let query = try database.query(table.sql.insertUnlessThere)
        lastNew = (table.entity, query)
        return query
    }

    private func upsert(_ table: EntityTable) throws -> Query {
        if let lastUpsert, lastUpsert.entity == table.entity { return lastUpsert.query }
        let query = try database.query(table.sql.upsert)
        lastUpsert = (table.entity, query)
        return query
    }

    /// Keeps a stored reference whose column is about to read nil.
    func mask(_ relationship: PropertyID, of key: RecordKey, target: RecordID) throws {
        occupancy.hasMasks = true
        let query = try database.query(
            "INSERT OR REPLACE INTO roost_raw(entity, id, relationship, target) VALUES (?, ?, ?, ?)")
        query.bind(1, key.entity.rawValue)
        query.bind(2, key.id)
        query.bind(3, relationship.rawValue)
        query.bind(4, target)
        try query.run()
    }

    func unmask(_ relationship: PropertyID, of key: RecordKey) throws {
        guard occupancy.hasMasks else { return }
        let query = try database.query("DELETE FROM roost_raw WHERE entity = ? AND id = ? AND relationship = ?")
        query.bind(1, key.entity.rawValue)
        query.bind(2, key.id)
        query.bind(3, relationship.rawValue)
        try query.run()
    }

    /// Says that masks were written by a statement of somebody else's.
    func noteMasks() { occupancy.hasMasks = true }

    /// Looks again whether others' statements have written masks.
    func lookForMasks() throws {
        if !occupancy.hasMasks {
            occupancy.hasMasks = try database.query("SELECT 1 FROM roost_raw LIMIT 1").first { _ in true } ?? false
        }
    }

    func removeMasks(of key: RecordKey) throws {
        guard occupancy.hasMasks else { return }
        let query = try database.query("DELETE FROM roost_raw WHERE entity = ? AND id = ?")
        query.bind(1, key.entity.rawValue)
        query.bind(2, key.id)
        try query.run()
    }

    /// Where a put's content goes: as ``place(of:)``, but without a look into the visible table, which takes it anyway.
    func placeToWrite(_ key: RecordKey) throws -> Place {
        guard let table = layout[key.entity] else { return .visible }
        return try placeToWrite(key, in: table)
    }

    func placeToWrite(_ key: RecordKey, in table: EntityTable) throws -> Place {
        guard try hasHidden(table) else { return .visible }
        let hidden = try database.query(table.sql.isHidden)
        hidden.bind(1, key.id)
        return try hidden.first { .hidden(isDeleted: $0.integer(0) != 0) } ?? .visible
    }

    private func hasHidden(_ table: EntityTable) throws -> Bool {
        if let lastHidden, lastHidden.entity == table.entity { return lastHidden.isThere }
        let isEmpty = occupancy.hidesNothing?.contains(table.entity) ?? false
        let result = try !isEmpty && (hiddenTables[table.entity] ?? !database.isEmpty(table.hidden))
        hiddenTables[table.entity] = result
        lastHidden = (table.entity, result)
        return result
    }

    /// A row has come to lie in the hidden table.
    func noteHidden(in table: EntityTable) {
        occupancy.hidesNothing = nil
        lastHidden = nil
        hiddenTables[table.entity] = true
    }

    /// Rows may have come to lie in any hidden table, or gone from it.
    func noteMoves() {
        occupancy.hidesNothing = nil
        lastHidden = nil
        hiddenTables = [:]
    }

    /// Whether an earlier version did not keep what the row does not give again of its put (``RowExtra/isIrregular``).
    func isIrregular(_ key: RecordKey) throws -> Bool { try extra(of: key)?.isIrregular ?? false }

    /// Notes that it does not, also where a record is kept aside.
    func noteIrregular(_ key: RecordKey) throws {
        var extra = try extra(of: key) ?? RowExtra()
        extra.isIrregular = true
        try write(extra: extra, of: key)
    }

    /// Sets a record aside that does not fit the schema, or that its table refuses. With the reason it keeps the values of other programs'
    /// columns, which nobody else has.
    ///
    /// - Parameter isIrregular: Whether the content is of a row that does not give the bytes of its put again.
    func setAside(_ encoded: [UInt8], of key: RecordKey, reason: String, isIrregular: Bool = false) throws {
        var own = Substring(try UserColumns(of: key, layout, database).sentence)
        if own.isEmpty, occupancy.hasUnfit { own = UserColumns.sentence(in: try unfitReason(of: key) ?? "") }
        try erase(key)
        occupancy.hasUnfit = true
        let query = try database.query(
            "INSERT OR REPLACE INTO roost_unfit(entity, id, put, reason) VALUES (?, ?, ?, ?)")
        query.bind(1, key.entity.rawValue)
        query.bind(2, key.id)
        query.bind(3, encoded)
        query.bind(4, reason + own)
        try query.run()
        if isIrregular { try noteIrregular(key) }
    }

    /// What is kept of a record's put beside its row.
    func extra(of key: RecordKey) throws -> RowExtra? {
        guard occupancy.hasExtras else { return nil }
        let query = try database.query("SELECT put FROM roost_extra WHERE entity = ? AND id = ?")
        query.bind(1, key.entity.rawValue)
        query.bind(2, key.id)
        return try query.first { try RowExtra(encoded: $0.bytes(0)) }
    }

    /// Keeps what a row does not hold of its put.
    func write(extra: RowExtra?, of key: RecordKey) throws {
        guard occupancy.hasExtras || extra != nil else { return }
        occupancy.hasExtras = true
        let sql =
            extra == nil
            ? "DELETE FROM roost_extra WHERE entity = ? AND id = ?"
            : "INSERT OR REPLACE INTO roost_extra(entity, id, put) VALUES (?, ?, ?)"
        let query = try database.query(sql)
        query.bind(1, key.entity.rawValue)
        query.bind(2, key.id)
        if let extra { query.bind(3, extra.encoded()) }
        try query.run()
    }
}
