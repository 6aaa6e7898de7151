internal import GRDB
internal import Replica
internal import RoostModel

extension ObjectContext {
    // MARK: To one

    /// Returns the object that a reference names. It is read together with the targets of the objects after `object` in its
    /// fetch.
    func target(_ id: ObjectID, of column: StoredProperty, from object: ManagedObject) throws -> ManagedObject? {
        if isGone(id) || danglingReferences.contains(id) { return nil }
        if let known = registeredObject(id), known.state != .gone { return known }
        var wanted: Set<ObjectID> = [id]
        for neighbour in neighbours(of: object) {
            guard let other = neighbour.targetID(of: column), !isGone(other), registeredObject(other) == nil,
                !danglingReferences.contains(other)
            else { continue }
            wanted.insert(other)
        }
        let found = try load(wanted.sorted())
        // In a read-only context nothing ends a cycle of objects. An object with companions may lead back to this one.
        object.companions?.keep(isReadOnly ? found.filter { $0.companions == nil } : found)
        danglingReferences.formUnion(wanted.subtracting(found.map(\.objectID)))
        return found.first { $0.objectID == id }
    }

    private func neighbours(of object: ManagedObject) -> [ManagedObject] {
        guard let companions = object.companions else { return [object] }
        // A fetch may cover several stores; the target of a reference is in the object's own store.
        return companions.neighbours(at: object.place).filter { $0.store == object.objectID.store }
            .compactMap { registeredObject($0) }
    }

    /// Reads the objects of identifiers of one entity and store. Objects that are not visible are left out.
    func load(_ ids: [ObjectID]) throws -> [ManagedObject] {
        guard let first = ids.first, let layout = model[first.entity] else { return [] }
        return try read(first.store, "read \(layout.name)") { database in
            var found: [ManagedObject] = []
            try database.query(ids.map(\.record)) { marks in
                "SELECT \(objectColumns(layout)) FROM \(layout.table) AS t0 WHERE t0.id IN (\(marks))"
            } read: { row in
                if let object = object(row, 0, layout, first.store) { found.append(object) }
            }
            batch(found)
            return found
        }
    }

    /// Records that objects were read together. Objects of an earlier fetch stay in its batch.
    func batch(_ objects: [ManagedObject]) {
        guard !isReadOnly else { return }
        let new = objects.filter { $0.companions == nil }
        guard new.count > 1 else { return }
        FetchBatch(new.map(\.objectID)).join(new)
    }

    /// Records that objects were fetched together, and moves them from their earlier batches.
    func batchAnew(_ objects: [ManagedObject]) {
        guard objects.count > 1, !isReadOnly else { return }
        let batch = FetchBatch(objects.map(\.objectID))
        var seen: Set<ObjectIdentifier> = []
        for earlier in objects.compactMap(\.companions) where seen.insert(ObjectIdentifier(earlier)).inserted {
            batch.keep(earlier.kept)
        }
        batch.join(objects)
    }

    // MARK: To many

    /// Returns the objects of a relationship to several. They are read together with the objects of the owners after `object` in
    /// its fetch.
    func objects(of many: ManyRelationship, from object: ManagedObject) throws -> [ManagedObject] {
        guard !object.isDeleted else { return [] }
        if let loaded = object.loadedRelationships[many.id], loaded.generation == generation { return loaded.objects }
        // In a read-only context nothing ends a cycle of objects, so no object holds those of its relationships.
        if isReadOnly { return try members(of: many, [object])[object.objectID.record] ?? [] }
        var owners = neighbours(of: object).filter {
            !$0.isDeleted && $0.loadedRelationships[many.id]?.generation != generation
        }
        if !owners.contains(object) { owners.append(object) }
        let members = try members(of: many, owners)
        hasLoadedRelationships = true
        for owner in owners {
            owner.loadedRelationships[many.id] = LoadedRelationship(
                members[owner.objectID.record] ?? [], of: many, generation: generation)
        }
        return members[object.objectID.record] ?? []
    }

    private func members(of many: ManyRelationship, _ owners: [ManagedObject]) throws -> [RecordID: [ManagedObject]] {
        switch many.form {
        case .inverse(let column): try inverse(of: owners, many, column)
        case .links(let link, let own, let other): try linked(to: owners, many, link, own, other)
        }
    }

    private func inverse(
        of owners: [ManagedObject], _ many: ManyRelationship, _ column: Int
    ) throws -> [RecordID: [ManagedObject]] {
        guard let layout = model[many.destination], let store = owners.first?.objectID.store else { return [:] }
        let name = layout.columns[column].quoted
        return try members(
            of: owners, layout, store,
            "SELECT t0.\(name), \(objectColumns(layout)) FROM \(layout.table) AS t0 WHERE t0.\(name)",
            position: many.position.map { layout.columns[$0] })
    }

    private func linked(
        to owners: [ManagedObject], _ many: ManyRelationship, _ link: EntityID, _ own: Int, _ other: Int
    ) throws -> [RecordID: [ManagedObject]] {
        guard let layout = model[many.destination], let links = model[link], let store = owners.first?.objectID.store
        else { return [:] }
        let (ownEnd, otherEnd) = (links.columns[own].quoted, links.columns[other].quoted)
        return try members(
            of: owners, layout, store,
            """
            SELECT l.\(ownEnd), \(objectColumns(layout)) FROM \(links.table) AS l
            JOIN \(layout.table) AS t0 ON t0.id = l.\(otherEnd) WHERE l.\(ownEnd)
            """)
    }

    /// Reads members by a statement that selects owner, identifier and columns, and that ends before `IN`.
    private func members(
        of owners: [ManagedObject], _ layout: EntityDescription, _ store: StoreID, _ sql: String,
        position: StoredProperty? = nil
    ) throws -> [RecordID: [ManagedObject]] {
        // The order of ``LoadedRelationship``.
        let order = position.map { "t0.\($0.quoted) IS NULL, t0.\($0.quoted), t0.id" } ?? "t0.id"
        return try read(store, "read \(layout.name)") { database in
            var found: [RecordID: [ManagedObject]] = [:]
            var all: [ManagedObject] = []
            try database.query(owners.map(\.objectID.record)) { marks in
                "\(sql) IN (\(marks)) ORDER BY \(order)"
            } read: { row in
                guard let owner = row.id(0), let member = object(row, 1, layout, store) else { return }
                // Another program may have written a link several times.
                if found[owner]?.last === member { return }
                found[owner, default: []].append(member)
                all.append(member)
            }
            batch(all)
            return found
        }
    }

    // MARK: Keeping both sides together

    /// Updates the inverse of a reference.
    func moved(_ object: ManagedObject, in column: StoredProperty, from before: ObjectID?, to target: ManagedObject?) {
        guard let reference = column.reference, let other = model[reference.destination],
            let many = other.many(named: reference.relationship.inverse)
        else { return }
        if let before { registeredObject(before)?.loadedRelationships[many.id]?.remove(object) }
        target?.loadedRelationships[many.id]?.insert(object)
    }

    /// Updates the ordered relationships that contain an object after a change of its position.
    func reordered(_ object: ManagedObject, by column: StoredProperty) {
        for reference in object.layout.orderedReferences where reference.position == column.index {
            guard let id = object.targetID(of: reference.column), let owner = registeredObject(id) else { continue }
            owner.loadedRelationships[reference.relationship]?.replace(object)
        }
    }

    func addLink(_ many: ManyRelationship, from object: ManagedObject, to other: ManagedObject) throws {
        guard try !objects(of: many, from: object).contains(other) else { return }
        guard case .links(let link, let own, _) = many.form, let layout = model[link] else { return }
        let ends = own == 0 ? (object, other) : (other, object)
        let values: [Value] = [.data(ends.0.objectID.record.bytes), .data(ends.1.objectID.record.bytes)]
        let id = linkID(link, ends.0, ends.1)
        undoHistory?.note(id, before: nil)
        if let known = registeredObject(id), known.state == .deleted {
            let removed = changed.values.filter {
                $0.state == .deleted && $0.objectID.entity == link && $0.objectID.store == id.store
                    && $0.values == values
            }
            for known in removed {
                known.state = .unchanged
                recordNoChange(of: known)
            }
        } else {
            let made = registeredObject(id) ?? register(id, layout, values, .inserted)
            made.state = .inserted
            made.values = values
            // The store may have had this link before.
            made.mayBeStored = true
            recordChange(of: made)
        }
        follow(many, object, other) { $0.insert($1) }
    }

    func removeLink(_ many: ManyRelationship, from object: ManagedObject, to other: ManagedObject) throws {
        guard try objects(of: many, from: object).contains(other) else { return }
        guard case .links(let link, let own, _) = many.form, let layout = model[link] else { return }
        let ends = own == 0 ? (object, other) : (other, object)
        let id = linkID(link, ends.0, ends.1)
        let values: [Value] = [.data(ends.0.objectID.record.bytes), .data(ends.1.objectID.record.bytes)]
        undoHistory?.note(id, before: values)
        if let known = registeredObject(id), known.state == .inserted {
            known.state = .gone
            recordNoChange(of: known)
        } else {
            for id in try [id] + others(of: id, layout, values) {
                let made = registeredObject(id) ?? register(id, layout, values, .unchanged)
                made.state = .deleted
                recordChange(of: made)
            }
        }
        follow(many, object, other) { $0.remove($1) }
    }

    /// Returns the identifiers of other rows of a link, which another program has written and no transaction of Roost has
    /// processed yet.
    private func others(of id: ObjectID, _ layout: EntityDescription, _ ends: [Value]) throws -> [ObjectID] {
        let columns = layout.columns.map(\.quoted)
        return try read(id.store, "read \(layout.name)") { database in
            let query = try database.query(
                "SELECT id FROM \(layout.table) WHERE \(columns[0]) = ? AND \(columns[1]) = ?")
            for (position, end) in ends.enumerated() { query.bind(Int32(position + 1), end, as: .uuid) }
            var found: [ObjectID] = []
            while try query.step() {
                guard let record = query.id(0), record != id.record else { continue }
                found.append(ObjectID(record: record, entity: id.entity, store: id.store))
            }
            return found
        }
    }

    private func linkID(_ link: EntityID, _ source: ManagedObject, _ target: ManagedObject) -> ObjectID {
        ObjectID(
            record: Schema.linkID(of: link, source: source.objectID.record, target: target.objectID.record),
            entity: link,
            store: source.objectID.store)
    }

    /// Updates the loaded relationships at both ends of a many-to-many relationship.
    private func follow(
        _ many: ManyRelationship, _ object: ManagedObject, _ other: ManagedObject,
        _ change: (inout LoadedRelationship, ManagedObject) -> Void
    ) {
        if var loaded = object.loadedRelationships[many.id] {
            change(&loaded, other)
            object.loadedRelationships[many.id] = loaded
        }
        guard let inverse = other.layout.many(named: many.relationship.inverse),
            var loaded = other.loadedRelationships[inverse.id]
        else { return }
        change(&loaded, object)
        other.loadedRelationships[inverse.id] = loaded
    }
}
