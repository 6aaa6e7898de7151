internal import GRDB
internal import Predicates
internal import Replica
public import RoostModel
internal import RoostSQLite

/// Changes of many records at once, without objects. They go to the stores directly, in one transaction for each store. They are
/// tracked, synchronised and logged by the replica like any other write.
extension ObjectContext {
    /// Sets properties of all records that a request asks for.
    ///
    /// The update neither sees nor touches unsaved changes of contexts. It refreshes the live objects of this context afterwards.
    ///
    /// - Parameters:
    ///   - request: The request for the records; its order matters where it has a limit.
    ///   - values: Attributes and to-one relationships by name; a relationship is the bytes of a record, or nil.
    ///   - label: The name of the action, for the log.
    /// - Returns: The number of written records. Records that already have the values are not written.
    /// - Throws: ``FetchPredicateError``; ``ObjectError`` with the code `unknown` or `invalidValue` for a property or value that
    ///   does not fit, `validation` where a record becomes too large, `store` where a store refuses. Nothing is changed in the store that failed.
    @discardableResult
    public func updateAll<Object>(
        _ request: FetchRequest<Object>, _ values: [String: Value], _ label: String = "update"
    ) throws -> Int {
        let entity = try model.entity(named: request.entity)
        try check(values, of: entity)
        // No column holds a negative zero.
        let values = values.mapValues(\.withoutNegativeZero)
        let names = values.keys.sorted()
        return try changeAll(request, label) { database, ids, transaction in
            var count = 0
            for id in ids where try !holds(values, names, id, entity, database) {
                try transaction.put(entity.name, id: id, values)
                count += 1
            }
            return count
        }
    }

    /// Deletes all records that a request asks for; the delete rules apply.
    ///
    /// The call does not see unsaved changes of contexts. It refreshes the live objects of this context afterwards.
    ///
    /// - Returns: The number of records that are gone by their own delete. Cascade children are hidden and not counted. A record
    ///   that hidden records keep by a deny rule is not counted either: its delete is written, and takes effect when they release
    ///   it (``liveness(of:)``).
    /// - Throws: As ``updateAll(_:_:_:)``, and `denied` where a remaining record denies a delete.
    @discardableResult
    public func deleteAll<Object>(_ request: FetchRequest<Object>, _ label: String = "delete") throws -> Int {
        let entity = try model.entity(named: request.entity)
        var deleted: [RecordID] = []
        let count = try changeAll(request, label) { _, ids, transaction in
            var count = 0
            // A cascade child of an earlier record is hidden already.
            for id in ids where try transaction.place(of: entity.name, id: id) == .visible {
                try transaction.delete(entity.name, id: id)
                deleted.append(id)
                count += 1
            }
            return count
        }
        guard model.incoming(entity.id).contains(where: { $0.rule.deleteRule == .deny }) else { return count }
        return count - kept(of: deleted, entity, try stores(of: request))
    }

    /// Returns the number of deleted records that are still visible. The deletes are complete, so an error is kept for the next
    /// save.
    private func kept(of deleted: [RecordID], _ entity: EntityDescription, _ stores: [StoreID]) -> Int {
        var kept = 0
        do {
            for store in stores {
                kept += try coordinator.store(store).backend.read("look at what was deleted") {
                    try StoredRows(deleted, of: entity, in: store, $0).found.count
                }
            }
        } catch {
            fail(error, "Cannot read what was deleted")
        }
        return kept
    }

    private func changeAll<Object>(
        _ request: FetchRequest<Object>, _ label: String,
        _ body: (Database, [RecordID], any StoreTransaction) throws -> Int
    ) throws -> Int {
        let compiler = try FetchCompiler(request, model)
        let entity = compiler.entity.id
        prepareResults()
        let part = try part(of: request)
        let tail = part == nil ? FetchWindow(request).sql : ""
        let sql = compiler.select(compiler.identifier, order: compiler.totalOrder, tail: tail)
        var count = 0
        for id in try stores(of: request) {
            let store = try coordinator.store(id)
            count += try write(to: store, label) { transaction in
                // The records are queried in the transaction that changes them, so that no other program can change them in
                // between.
                let isReady = store.backend.writesWithFunctions
                let ids = try transaction.withFunctions(isReady: isReady) { database in
                    try database.query(sql).all { $0.id(0) }.compactMap { $0 }
                }.filter { record in part?.contains(ObjectID(record: record, entity: entity, store: id)) ?? true }
                return try body(transaction.database, ids, transaction)
            }
            coordinator.hub.post(StoreChange(author: .context(self.id), extent: .unknown))
        }
        recordUndeliveredUnknown()
        try refresh(registeredObjects, from: [.thisContext])
        deliverChanges()
        return count
    }

    /// Returns the records within a limit and offset over several stores, before the first store is changed; `nil` where one
    /// transaction can determine them itself.
    private func part<Object>(of request: FetchRequest<Object>) throws -> Set<ObjectID>? {
        guard request.limit != nil || request.offset > 0, try stores(of: request).count > 1 else { return nil }
        // A new context fetches without the unsaved changes of this context.
        return Set(try ObjectContext(coordinator).fetchIDs(request))
    }

    private func check(_ values: [String: Value], of entity: EntityDescription) throws {
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            guard let column = entity.column(named: name) else {
                throw ObjectError(.unknown, "\(entity.name) has no property \"\(name)\". It has \(entity.knownNames).")
            }
            guard let reason = fault(of: value, in: column) else { continue }
            throw ObjectError(.invalidValue, "Cannot set \"\(name)\" of all \(entity.name): \(reason)")
        }
    }

    private func fault(of value: Value, in column: StoredProperty) -> String? {
        switch column.kind {
        case .reference(let reference):
            if value == .null { return reference.isRequired ? "it must name an object. Give it one." : nil }
            return value.recordID == nil ? "a relationship is the 16 bytes of a record. Give it those." : nil
        case .attribute(let attribute):
            if value == .null { return attribute.isOptional ? nil : "it must have a value. Give it one." }
            guard let fault = attribute.kind.fault(of: value) else { return nil }
            guard case .form = fault else { return "the value \(fault.reason). \(fault.cure)" }
            return "the value is \(value.formName). \(fault.cure)"
        }
    }

    private func holds(
        _ values: [String: Value], _ names: [String], _ id: RecordID, _ entity: EntityDescription, _ database: Database
    ) throws -> Bool {
        let columns = names.compactMap { entity.column(named: $0) }
        let list = (["id"] + columns.map(\.quoted)).joined(separator: ", ")
        let query = try database.query("SELECT \(list) FROM \(entity.table) WHERE id = ?")
        query.bind(1, id)
        return try query.first { row in
            columns.enumerated().allSatisfy { index, column in
                // A nil for a masked reference is not written either, so that the stored reference comes back with its target.
                row.value(Int32(index) + 1, as: column.valueKind) == values[column.name]
            }
        } ?? true
    }
}

extension StoreTransaction {
    /// Runs SQL that uses ``PredicateFunctions``. They are removed from the connection that writes afterwards, because triggers
    /// of a crafted file could call them.
    ///
    /// - Parameter isReady: Whether the connection already has the functions, and keeps them.
    func withFunctions<Result>(isReady: Bool, _ body: (Database) throws -> Result) throws -> Result {
        guard !isReady else { return try body(database) }
        PredicateFunctions.register(in: database, StatementCache.identifiers(on: database))
        defer { PredicateFunctions.remove(from: database) }
        return try body(database)
    }
}
