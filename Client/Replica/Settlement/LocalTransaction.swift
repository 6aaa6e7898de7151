package import GRDB
internal import RoostMerge
public import RoostModel

/// A transaction of local writes on a replica.
///
/// Its writes commit together, are settled before it ends, arrive on other devices as a whole, and can be undone as one step.
///
/// ```swift
/// try replica.write("rename Dinner") { transaction in
///     try transaction.put("Spending", id: id, ["content": .string("Lunch")])
/// }
/// ```
public final class LocalTransaction {
    package let database: Database
    let layout: Layout
    let rows: RowStore
    /// Milliseconds since 1970.
    private let clock: () -> Int64
    var now: Int64 { clock() }
    /// The encoded content of each touched record before the transaction, in the order in which the records were first touched;
    /// `nil` for a record that did not exist or was deleted.
    private(set) var before: [(key: RecordKey, put: [UInt8]?)] = []
    private var touched: Set<RecordKey> = []
    /// Whether written records may be invisible although nothing was deleted, because settling may have moved rows. Final once
    /// the write is over.
    package internal(set) var mayHideWritten = false
    /// The statement of the last ``put(_:id:_:)``, cached because successive calls mostly write equal lists of properties.
    private var last: Write?

    private struct Write {
        let entity: EntityID
        /// Names of the written properties in ascending order, and their quoted columns in that order.
        let names: [String]
        let columns: [String]
        /// Whether the record was visible.
        let isThere: Bool
        let query: Query
    }

    /// - Parameter now: Milliseconds since 1970.
    init(_ database: Database, _ layout: Layout, now clock: @escaping () -> Int64) throws {
        self.database = database
        self.layout = layout
        self.clock = clock
        rows = try RowStore(database, layout)
    }

    /// Inserts a record, or changes the given properties of an existing one.
    ///
    /// - Parameters:
    ///   - values: Values by property name; a reference is the bytes of its target's identifier. An omitted property keeps its
    ///     value, or gets its default in a new record.
    /// - Throws: ``ReplicaError`` with the code `unknown` or `invalidValue`, or with `denied` where a trigger of another program
    ///   ignores the write.
    public func put(_ entity: String, id: RecordID, _ values: [String: Value]) throws {
        let table = try table(named: entity)
        let key = RecordKey(entity: table.entity, id: id)
        for (name, value) in values { try check(value, name, of: table, id) }
        let place = try touch(key)
        if place == .nowhere || place == .hidden(isDeleted: true), let all = all(values, of: table) {
            return try insert(key, from: place, in: table, all)
        }
        let names = values.keys.sorted()
        let columns = try columns(table, id, names)
        let isThere = try isShown(key, at: place, in: table)
        if isThere, names.isEmpty { return }
        if !isThere, place == .hidden(isDeleted: true) { try rows.removeMasks(of: key) }
        let query = try statement(table, names, columns, isThere: isThere)
        query.bind(1, id)
        for (index, name) in names.enumerated() {
            query.bind(Int32(index + 2), table.stored(values[name] ?? .null, in: name))
        }
        try query.run()
        if query.rowsWritten == 0 { throw ignoredByTrigger(isThere ? "change" : "add", table, id) }
    }

    /// Makes the error for a write that a trigger has ignored. SQLite reports no error for it.
    private func ignoredByTrigger(_ verb: String, _ table: EntityTable, _ id: RecordID) -> ReplicaError {
        ReplicaError(
            .denied,
            "Cannot \(verb) \(table.name) \(id): a trigger of yours ignored the write, as RAISE(IGNORE) does. Drop or change the trigger, or leave this record out."
        )
    }

    /// Returns the values of all properties in column order; `nil` where a property is missing or unknown.
    private func all(_ values: [String: Value], of table: EntityTable) -> [Value]? {
        guard values.count == table.columns.count else { return nil }
        let all = table.columns.compactMap { values[$0.name] }
        return all.count == values.count ? all : nil
    }

    /// Rejects values that SQLite accepts without a check: a NaN, which it stores as NULL, and text that is not JSON.
    private func check(_ value: Value, _ name: String, of table: EntityTable, _ id: RecordID) throws {
        let kind: Attribute.Kind
        switch value {
        case .double(let number) where number.isNaN: kind = .double
        case .string:
            guard table.slots.contains(where: { $0.kind == .json }),
                let column = table.columns.first(where: { $0.name == name }),
                case .attribute(let attribute) = column.kind, attribute.kind == .json
            else { return }
            kind = .json
        default: return
        }
        guard let fault = kind.fault(of: value) else { return }
        throw ReplicaError(
            .invalidValue, "Cannot write \(table.name) \(id): \"\(name)\" \(fault.reason). \(fault.cure)")
    }

    /// Returns the quoted columns of the named properties.
    private func columns(_ table: EntityTable, _ id: RecordID, _ names: [String]) throws -> [String] {
        if let last, last.entity == table.entity, last.names == names { return last.columns }
        return try names.map { name in
            guard let column = table.columns.first(where: { $0.name == name }) else {
                throw ReplicaError(
                    .unknown, "Cannot write \(table.name) \(id): it has no property \"\(name)\". Correct the name.")
            }
            return column.quoted
        }
    }

    /// Returns the statement that writes the named properties of a record. It is cached as long as successive writes name equal
    /// properties.
    private func statement(
        _ table: EntityTable, _ names: [String], _ columns: [String], isThere: Bool
    ) throws -> Query {
        if let last, last.entity == table.entity, last.isThere == isThere, last.names == names { return last.query }
        // Appended piece by piece: joining builds a string of each part first, which takes more than half as long as running the
        // statement.
        var sql: String
        if isThere {
            sql = "UPDATE \(table.visible) SET "
            for (index, column) in columns.enumerated() {
                if index > 0 { sql += ", " }
                sql += column
                sql += " = ?\(index + 2)"
            }
            sql += " WHERE id = ?1"
        } else {
            sql = "INSERT INTO \(table.visible)(id"
            for column in columns {
                sql += ", "
                sql += column
            }
            sql += ") VALUES (?"
            for _ in columns { sql += ", ?" }
            sql += ")"
        }
        let query = try database.query(sql)
        last = Write(entity: table.entity, names: names, columns: columns, isThere: isThere, query: query)
        return query
    }

    /// Writes a record that is not visible, with all its values. Unlike ``put(_:id:_:)``, it looks up no property names.
    ///
    /// - Parameter values: The values of all attributes and references, by ascending property.
    /// - Throws: ``ReplicaError`` with the code `unknown` or `invalidValue`.
    package func insert(_ key: RecordKey, _ values: [Value]) throws {
        guard let table = layout[key.entity], table.columns.count == values.count else {
            throw ReplicaError(
                .unknown, "Cannot write \(key): the values are not those of an entity of this replica's schema.")
        }
        for (column, value) in zip(table.columns, values) { try check(value, column.name, of: table, key.id) }
        let place = try rows.placeOfInvisible(key)
        guard place != .hidden(isDeleted: false) else {
            let named = zip(table.columns, values).map { ($0.name, $1) }
            try put(table.name, id: key.id, Dictionary(uniqueKeysWithValues: named))
            return
        }
        if touched.insert(key).inserted { before.append((key, nil)) }
        try insert(key, from: place, in: table, values)
    }

    /// Inserts a record that did not exist or was deleted, with all its values in column order.
    private func insert(_ key: RecordKey, from place: RowStore.Place, in table: EntityTable, _ values: [Value]) throws {
        if place == .hidden(isDeleted: true) { try rows.removeMasks(of: key) }
        if try !rows.insertVisible(key, in: table, values) { throw ignoredByTrigger("add", table, key.id) }
    }

    /// Deletes a record; the delete rules apply at once.
    ///
    /// - Throws: ``ReplicaError`` with the code `denied` where a visible record refers to it with a deny rule, or a
    ///   trigger of another program ignores the write; with `unknown` where no such record is visible.
    public func delete(_ entity: String, id: RecordID) throws {
        let table = try table(named: entity)
        let key = RecordKey(entity: table.entity, id: id)
        guard try rows.place(of: key) == .visible else {
            throw ReplicaError(.unknown, "Cannot delete \(entity) \(id): there is no such record.")
        }
        try touch(key)
        #if ROOST_SEEDED_BUGS
            for (rule, child, column) in layout.incoming(table.entity)
            where SeededBug.cascadeWritten.isOn && rule.deleteRule == .cascade && child.entity != table.entity {
                let children = try database.query("DELETE FROM \(child.visible) WHERE \(column.quoted) = ?")
                children.bind(1, id)
                try children.run()
            }
        #endif
        let query = try database.query(table.sql.removeVisible)
        query.bind(1, id)
        try query.run()
        if query.rowsWritten == 0 { throw ignoredByTrigger("delete", table, id) }
        // The delete rules may have masked references.
        rows.recordMasks()
    }

    /// Restores a deleted record with its former content. Records that its delete hid are shown again.
    ///
    /// - Throws: ``ReplicaError`` with the code `unknown` where the record is not deleted or the replica has no content of it,
    ///   and with `denied` where a trigger of another program ignores the write.
    public func undelete(_ entity: String, id: RecordID) throws {
        let table = try table(named: entity)
        let key = RecordKey(entity: table.entity, id: id)
        guard try rows.place(of: key) == .hidden(isDeleted: true) else {
            let why =
                switch try rows.place(of: key) {
                case .visible: "it is not deleted"
                case .hidden: "it is hidden because of another record; undelete that one"
                case .nowhere: "this replica has no content of it"
                }
            throw ReplicaError(.unknown, "Cannot undelete \(entity) \(id): \(why).")
        }
        try touch(key)
        // The record is marked as not deleted first: an insert over a deleted record would be new content, without the masked
        // references.
        let moves = RowMoves(database: database, layout: layout)
        try moves.mark(key, isDeleted: false)
        do {
            let query = try database.query(table.sql.copyToVisible)
            query.bind(1, id)
            try query.run()
            if query.rowsWritten == 0 { throw ignoredByTrigger("bring back", table, id) }
        } catch {
            // An index of the user's may refuse the row, and the caller may continue the transaction.
            try moves.mark(key, isDeleted: true)
            throw error
        }
    }

    /// Clears a reference of a visible record that is masked because its target is not visible. Writing nil over a masked
    /// reference alone leaves it stored.
    ///
    /// - Throws: ``ReplicaError`` with the code `unknown` where there is no such entity or reference.
    package func clearReference(_ entity: String, id: RecordID, _ name: String) throws {
        let table = try table(named: entity)
        guard let column = table.references.first(where: { $0.name == name }) else {
            throw ReplicaError(.unknown, "Cannot write \(entity) \(id): it has no reference \"\(name)\".")
        }
        try put(entity, id: id, [name: .null])
        let query = try database.query("DELETE FROM roost_raw WHERE entity = ? AND id = ? AND relationship = ?")
        query.bind(1, table.entity.rawValue)
        query.bind(2, id)
        query.bind(3, column.property.rawValue)
        try query.run()
    }

    /// Returns the location of a record.
    ///
    /// - Throws: ``ReplicaError`` with the code `unknown` where there is no such entity.
    package func place(of entity: String, id: RecordID) throws -> RecordLocation {
        switch try rows.place(of: RecordKey(entity: try table(named: entity).entity, id: id)) {
        case .visible: .visible
        case .hidden(isDeleted: false): .hidden
        case .hidden(isDeleted: true): .deleted
        case .nowhere: .nowhere
        }
    }

    /// Writes a record with the content of an encoded put, such as one from the journal.
    func restore(_ key: RecordKey, _ encoded: [UInt8]) throws {
        guard let table = layout[key.entity] else {
            throw ReplicaError(.unknown, "Cannot restore \(key): its entity is not in this replica's schema.")
        }
        try touch(key)
        do {
            // Settling removes a hidden row in favour of the new one.
            try RowCoding(table).withRow(encoded) {
                try rows.write($0, to: key, in: table, .visible)
            }
        } catch let unfit as RowCoding.Unfit {
            throw ReplicaError(.invalidValue, "Cannot restore \(table.name) \(key.id): \(unfit.reason)")
        }
    }

    func table(named entity: String) throws -> EntityTable {
        if let table = layout.tables.first(where: { $0.name == entity }) { return table }
        let known = layout.tables.map { "\"\($0.name)\"" }.joined(separator: ", ")
        throw ReplicaError(.unknown, "There is no entity \"\(entity)\" in the schema. It has \(known).")
    }

    /// Records a record's content before the transaction's first write to it.
    ///
    /// - Returns: The record's location.
    @discardableResult
    private func touch(_ key: RecordKey) throws -> RowStore.Place {
        let place = try rows.place(of: key)
        if touched.insert(key).inserted {
            let isLive = place == .visible || place == .hidden(isDeleted: false)
            before.append((key, isLive ? try rows.encodedPut(of: key) : nil))
        }
        return place
    }

    /// Copies a hidden record's row to the visible table for writing, so that omitted properties keep their values.
    ///
    /// - Returns: Whether the record is visible now.
    private func isShown(_ key: RecordKey, at place: RowStore.Place, in table: EntityTable) throws -> Bool {
        switch place {
        case .visible: return true
        case .nowhere, .hidden(isDeleted: true): return false
        case .hidden(isDeleted: false):
            let query = try database.query(table.sql.copyToVisible)
            query.bind(1, key.id)
            try query.run()
            return true
        }
    }
}
