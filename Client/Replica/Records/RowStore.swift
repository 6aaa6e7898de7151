internal import GRDB
internal import RoostModel

/// A reader and writer of whole records in the visible and hidden tables of a replica, inside one transaction.
final class RowStore {
    /// The location of a record's put slot.
    enum Place: Hashable {
        case visible
        /// Not shown; `isDeleted` where the record's own delete is the reason.
        case hidden(isDeleted: Bool)
        case nowhere
    }

    let database: Database
    let layout: Layout
    /// The occupancy of the tables when this store was made, updated by the writes of this store.
    private(set) var occupancy: TableOccupancy
    /// Whether hidden tables held rows when they were first queried. This stays valid because rows are hidden only after all
    /// records are written.
    private var hiddenTables: [EntityID: Bool] = [:]
    private var lastHidden: (entity: EntityID, isThere: Bool)?
    private var lastUpsert: (entity: EntityID, query: Query)?
    private var lastNew: (entity: EntityID, query: Query)?
    private var lastUpdate: (entity: EntityID, query: Query)?
    private var lastVisible: (entity: EntityID, query: Query)?
    private var lastInsert: (entity: EntityID, query: Query)?
    /// The reasons why the content of records that were read cannot be sent. Reading a record again without a fault removes its
    /// entry.
    private(set) var faults: [RecordKey: String] = [:]
    /// The entity that was last queried for a user index, and the answer. A user index may refuse what the schema allows.
    private var lastUsersIndex: (entity: EntityID, isThere: Bool)?

    convenience init(_ database: Database, _ layout: Layout) throws {
        self.init(database, layout, try TableOccupancy.besideRows(database))
    }

    /// - Parameter occupancy: The current occupancy, as of this transaction.
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

    /// Returns the location of a record that is known not to be visible, without a query of the visible table.
    func placeOfInvisible(_ key: RecordKey) throws -> Place {
        guard let table = layout[key.entity] else { return .nowhere }
        let hidden = try database.query(table.sql.isHidden)
        hidden.bind(1, key.id)
        return try hidden.first { .hidden(isDeleted: $0.integer(0) != 0) } ?? .nowhere
    }

    /// Reads the content of a visible record, encoded, and its stored references where all of them are shown. The references cost
    /// nothing: they are in the row that is read anyway.
    ///
    /// - Returns: `nil` where the record is not visible.
    func visibleContent(of key: RecordKey) throws -> (encoded: [UInt8], references: [Put.Reference]?)? {
        guard let table = layout[key.entity] else { return nil }
        var references: [Put.Reference]?
        let encoded = try encoded(key, table, visibleRow(table), maskedReferences(of: key), extra(of: key)) { row in
            if !occupancy.hasMasks { references = RowCoding(table).references(in: row, from: 1) }
        }
        return encoded.map { ($0, references) }
    }

    /// Returns the statement that reads a visible row, which is looked up once for consecutive records of one entity.
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

    /// Encodes the current content of a record's put slot.
    ///
    /// - Returns: `nil` where the record has no content.
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

    /// Encodes the content of a record like ``encodedPut(of:)``, but returns `nil` also where the content stored alongside the
    /// row is corrupt.
    func readablePut(of key: RecordKey) throws -> [UInt8]? {
        do {
            return try encodedPut(of: key)
        } catch is ContentError {
            return nil
        }
    }

    /// Reads the stored references of a record, including masked ones.
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
            // In a corrupt file the number may be out of range for a relationship.
            guard let relationship = UInt32(exactly: query.integer(0)) else { continue }
            masked[PropertyID(relationship)] = query.id(1)
        }
        return masked
    }

    /// Writes a put's content to the record's location, or to the visible table for a new record. References are written as
    /// stored.
    ///
    /// - Parameter replacing: For a record of which nothing is known. Called before a visible row that has its identifier all the
    ///   same is replaced.
    /// - Throws: ``RowCoding/Unfit`` where the table refuses the content; nothing is written then.
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

    /// Whether an error refuses one row, and is not a failure of the file. A row is refused by a constraint, or by an expression
    /// that a user's index cannot compute.
    static func isRefusal(_ error: DatabaseError) -> Bool {
        [.SQLITE_CONSTRAINT, .SQLITE_ERROR, .SQLITE_TOOBIG].contains(error.resultCode)
    }

    static func reason(of refusal: DatabaseError) -> String { refusal.message ?? "The table refuses the content." }

    /// Writes the attributes of a visible record whose references do not change, without touching the indexes of the references.
    ///
    /// Plain path: ``write(_:to:in:_:replacing:)``. `EditsInPlaceTests` compares the two.
    ///
    /// - Returns: Whether the attributes are written; `false` where this way does not apply, and nothing is written.
    /// - Throws: ``RowCoding/Unfit`` where the table refuses the attributes; nothing is written then.
    func writeAttributes(_ row: RowCoding.Row, to key: RecordKey, in table: EntityTable) throws -> Bool {
        guard !occupancy.hasMasks, !table.references.isEmpty, let sql = table.sql.updateAttributes else { return false }
        guard try run(row, of: key, in: table, mustWrite: false, { try updateAttributes(table, sql) }) > 0 else {
            return false
        }
        try write(extra: row.extra, of: key)
        return true
    }

    /// Inserts a visible row as other programs do, so that triggers run.
    ///
    /// - Returns: `false` where a user trigger has ignored the row.
    func insertVisible(_ key: RecordKey, in table: EntityTable, _ values: [Value]) throws -> Bool {
        let query: Query
        if let lastInsert, lastInsert.entity == key.entity {
            query = lastInsert.query
        } else {
            query = try database.query(table.sql.insert)
            lastInsert = (key.entity, query)
        }
        query.bind(1, key.id)
        for index in values.indices { query.bind(Int32(index + 2), values[index], as: table.slots[index].kind) }
        try query.run()
        return query.rowsWritten > 0
    }

    /// Whether a record is stored in the visible table only, so that its row may wait for a batch.
    ///
    /// No row waits where the table has a user index: the rows that the index refuses depend on the order of writes.
    func mayWait(_ key: RecordKey, in table: EntityTable) throws -> Bool {
        guard try !hasUsersIndex(table), !table.additions.hasTriggers else { return false }
        if occupancy.hasMasks, try isThere(key, in: "roost_raw") { return false }
        if occupancy.hasExtras, try isThere(key, in: "roost_extra") { return false }
        if occupancy.hasUnfit, try isThere(key, in: "roost_unfit") { return false }
        return try placeToWrite(key, in: table) == .visible
    }

    func hasUsersIndex(_ table: EntityTable) throws -> Bool {
        if let lastUsersIndex, lastUsersIndex.entity == table.entity { return lastUsersIndex.isThere }
        let result = try UserSchemaObjects.hasIndex(on: table.table, database)
        lastUsersIndex = (table.entity, result)
        return result
    }

    private func isThere(_ key: RecordKey, in table: String) throws -> Bool {
        let query = try database.query("SELECT 1 FROM \(table) WHERE entity = ? AND id = ?")
        query.bind(1, key.entity.rawValue)
        return try query.with(2, key.id) { try query.first { _ in true } } != nil
    }

    /// The outcome of writing a batch of rows.
    enum BatchWriting: Hashable {
        /// All rows existed, and have new attributes.
        case inPlace
        /// All rows are written, and some or all of them are new.
        case anew
        /// Some rows may be written, with new ones among them if `isAnew`. The caller has to write each row by itself.
        case incomplete(isAnew: Bool)
    }

    /// Writes the rows of a full batch. Each row may wait by ``mayWait(_:in:)``.
    func write(_ batch: RowBatch) throws -> BatchWriting {
        guard batch.isFull, let statements = batch.table.sql.batches,
            let sql = batch.areNew ? statements.insert : statements.edit
        else { return .incomplete(isAnew: false) }
        let query = try database.query(sql)
        let places = 1 + batch.table.columns.count
        do {
            try BlobScratch.withRoom(
                for: RowBatch.size * (1 + batch.table.columns.count), query.identifiers
            ) { words in
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

    /// Runs a statement that writes one row, and bypasses user triggers that make it fail.
    ///
    /// - Parameters:
    ///   - mustWrite: Whether the statement has to write a row, also where a user trigger prevents it.
    ///   - query: Looks up the statement, again for each attempt where triggers are bypassed.
    /// - Returns: The number of rows written.
    private func run(
        _ row: RowCoding.Row, of key: RecordKey, in table: EntityTable, mustWrite: Bool, _ query: () throws -> Query
    ) throws -> Int {
        func write() throws -> Int {
            let query = try query()
            try BlobScratch.withRoom(for: 1 + table.columns.count, query.identifiers) { words in
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
        _ words: inout BlobScratch
    ) {
        query.bind(first, words.add(key.id))
        let cells = row.cells
        let isText = query.identifiers == .text
        for index in cells.indices {
            let place = first + 1 + Int32(index)
            switch cells[index] {
            case .absent: query.bind(place, table.defaults[index], as: table.slots[index].kind)
            case .attribute(.bytes(let bytes)) where isText && table.slots[index].kind == .uuid:
                query.bind(place, bytes.count == 16 ? bytes.baseAddress.map { words.add(RecordID(loading: $0)) } : nil)
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

    /// Returns the statement that inserts a visible row unless it exists, which is looked up once for consecutive records of one
    /// entity.
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

    /// Stores a reference that is about to be masked: its column becomes NULL.
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

    /// Records that a statement outside this store has written masked references.
    func recordMasks() { occupancy.hasMasks = true }

    /// Checks again for masked references that statements outside this store have written.
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

    /// Returns the location to which a put's content is written.
    ///
    /// The location is that of ``place(of:)``, except that a record that is not hidden counts as visible. This spares a query of
    /// the visible table, to which the content is written in either case.
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

    /// Records that a row has moved to the hidden table.
    func recordHidden(in table: EntityTable) {
        occupancy.hidesNothing = nil
        lastHidden = nil
        hiddenTables[table.entity] = true
    }

    /// Records that rows may have moved to or from any hidden table.
    func recordMoves() {
        occupancy.hidesNothing = nil
        lastHidden = nil
        hiddenTables = [:]
    }

    /// Whether an earlier version of Roost did not store the parts of a put that its row cannot reproduce
    /// (``RowExtra/isIrregular``).
    func isIrregular(_ key: RecordKey) throws -> Bool { try extra(of: key)?.isIrregular ?? false }

    /// Marks a record's content as irregular (``RowExtra/isIrregular``), also where the record is set aside.
    func recordIrregular(_ key: RecordKey) throws {
        var extra = try extra(of: key) ?? RowExtra()
        extra.isIrregular = true
        try write(extra: extra, of: key)
    }

    /// Sets aside a record that does not fit the schema, or that its table refuses. The stored reason includes the values of
    /// other programs' columns, which no other device has.
    ///
    /// - Parameter isIrregular: Whether the content comes from a row that does not reproduce the bytes of its put.
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
        if isIrregular { try recordIrregular(key) }
    }

    /// Reads the parts of a record's put that its row does not hold.
    func extra(of key: RecordKey) throws -> RowExtra? {
        guard occupancy.hasExtras else { return nil }
        let query = try database.query("SELECT put FROM roost_extra WHERE entity = ? AND id = ?")
        query.bind(1, key.entity.rawValue)
        query.bind(2, key.id)
        return try query.first { try RowExtra(encoded: $0.bytes(0)) }
    }

    /// Stores the parts of a record's put that its row does not hold; `nil` deletes them.
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
