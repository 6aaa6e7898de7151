internal import RoostModel

extension ManagedObject {
    /// Returns the object that a to-one relationship names; `nil` where it names none, or one that is not visible.
    ///
    /// For a single end, it is the object that names this one. Replicas that are offline may each set one. All of them then show
    /// the object with the greatest identifier, which was made last; ``objects(_:)`` of the relationship returns all.
    ///
    /// - Throws: ``ObjectError`` with the code `unknown`, or `store` where the object could not be read.
    public final func object(_ relationship: String) throws -> ManagedObject? {
        if let single = layout.single(named: relationship) { return try shown(of: single) }
        return try target(of: try reference(named: relationship))
    }

    /// Returns the identifier of the object that a to-one relationship names as written, visible or not; for a single end, of the
    /// object that it shows.
    ///
    /// A relationship whose inverse has the delete rule `nullify` or `deny` is masked, and so reads nil, once the delete of its
    /// target is saved. With the rule `noAction` it keeps the identifier, while ``object(_:)`` returns `nil`.
    ///
    /// - Throws: ``ObjectError`` with the code `unknown`, or `store` where a single end could not be read.
    public final func objectID(of relationship: String) throws -> ObjectID? {
        if let single = layout.single(named: relationship) { return try shown(of: single)?.objectID }
        return targetID(of: try reference(named: relationship))
    }

    /// Returns the objects of a relationship to several, in the order in which they were made; for a single end, all objects that
    /// name this one.
    ///
    /// A relationship with `orderedBy` has its objects in the order of their positions. Objects with equal positions are in the
    /// order in which they were made. Objects without a position come last, in the order in which they were made.
    ///
    /// - Throws: ``ObjectError`` with the code `unknown`, or `store` where the objects could not be read.
    public final func objects(_ relationship: String) throws -> [ManagedObject] {
        try objects(of: try many(named: relationship))
    }

    /// Sets a to-one relationship to an object, or to none; its inverse is updated at once.
    ///
    /// A one-to-one relationship may be set on either side. Any other object that named the object of the single end no longer
    /// names it, loaded or not. These edits are saved and undone together with this one. An object whose reference is required
    /// has to name another object, or be deleted, before a save.
    ///
    /// - Throws: ``ObjectError`` with the code `unknown`; `foreignObject` for an object of another context or store;
    ///   `invalidValue` for an object of another entity; `store` where the objects that name a single end could not be read.
    ///   Nothing is changed.
    public final func set(_ relationship: String, to object: ManagedObject?) throws {
        if let single = layout.single(named: relationship) { return try setSingle(single, to: object) }
        try setReference(try reference(named: relationship), to: object)
    }

    /// Adds an object to a relationship to several; its inverse is updated at once. An object that is already in it stays. A
    /// single end is set to the object. In an ordered relationship the object comes last.
    ///
    /// - Throws: As ``set(_:to:)-(_,ManagedObject?)``.
    public final func add(_ object: ManagedObject, to relationship: String) throws {
        try add(object, to: try many(named: relationship))
    }

    /// Removes an object from a relationship to several; an object that is not in it changes nothing.
    ///
    /// - Throws: As ``set(_:to:)-(_,ManagedObject?)``.
    public final func remove(_ object: ManagedObject, from relationship: String) throws {
        try remove(object, from: try many(named: relationship))
    }

    // MARK: By property

    /// Sets a to-one relationship that this object stores.
    final func setReference(_ column: StoredProperty, to object: ManagedObject?) throws {
        try link(column, to: object)
        endFailures(of: column, setTo: object)
    }

    /// Sets the single end of a one-to-one relationship.
    final func setSingle(_ single: ManyRelationship, to object: ManagedObject?) throws {
        try show(object, of: single)
        endFailure(of: single.id)
        if let object { endFailures(of: single, changing: object) }
    }

    final func add(_ object: ManagedObject, to many: ManyRelationship) throws {
        try check(object, for: many.name, many.destination)
        switch many.form {
        case .inverse(let column): try object.link(object.layout.columns[column], to: self)
        case .links: try editableContext.addLink(many, from: self, to: object)
        }
        endFailures(of: many, changing: object)
    }

    final func remove(_ object: ManagedObject, from many: ManyRelationship) throws {
        try check(object, for: many.name, many.destination)
        switch many.form {
        case .inverse(let column):
            let column = object.layout.columns[column]
            if object.targetID(of: column) == objectID { try object.link(column, to: nil) }
        case .links: try editableContext.removeLink(many, from: self, to: object)
        }
        endFailures(of: many, changing: object)
    }

    final func targetID(of column: StoredProperty) -> ObjectID? {
        guard let reference = column.reference, let record = values[column.index].recordID else { return nil }
        return ObjectID(record: record, entity: reference.destination, store: objectID.store)
    }

    final func target(of column: StoredProperty) throws -> ManagedObject? {
        guard let id = targetID(of: column) else { return nil }
        guard let context else { throw contextHasEnded }
        return try context.target(id, of: column, from: self)
    }

    final func objects(of many: ManyRelationship) throws -> [ManagedObject] {
        guard let context else { throw contextHasEnded }
        return try context.objects(of: many, from: self)
    }

    /// Sets a reference, and updates its inverse.
    ///
    /// - Parameter isPlaced: Whether the object already has its position in the order of the other end; otherwise it comes last.
    final func link(_ column: StoredProperty, to object: ManagedObject?, isPlaced: Bool = false) throws {
        guard let reference = column.reference else { throw unknownProperty(column.name) }
        let context = try editableContext
        if let object { try check(object, for: column.name, reference.destination) }
        let before = targetID(of: column)
        // Read before anything is changed.
        let others = try object.map { try $0.others(than: self, naming: column) } ?? []
        for other in others { try other.link(column, to: nil) }
        guard before != object?.objectID else { return }
        if let object, !isPlaced { try object.append(self, by: column) }
        try write(object.map { .data($0.objectID.record.bytes) } ?? .null, to: column)
        context.moved(self, in: column, from: before, to: object)
    }

    // MARK: Single ends

    /// Returns the object that a single end shows.
    final func shown(of single: ManyRelationship) throws -> ManagedObject? {
        // The objects are in ascending order of identifiers.
        try objects(of: single).last
    }

    /// Makes one object name this one by the inverse of a single end, and no other.
    final func show(_ object: ManagedObject?, of single: ManyRelationship) throws {
        _ = try editableContext
        if let object { try check(object, for: single.name, single.destination) }
        guard case .inverse(let index) = single.form else { throw unknownProperty(single.name) }
        for other in try objects(of: single) where other !== object {
            try other.link(other.layout.columns[index], to: nil)
        }
        if let object { try object.link(object.layout.columns[index], to: self) }
    }

    /// Returns the objects that name this one by a reference whose inverse is a single end, except one object.
    private func others(than object: ManagedObject, naming column: StoredProperty) throws -> [ManagedObject] {
        guard let inverse = column.reference?.inverse, inverse.isSingle, let single = layout.many(inverse.id) else {
            return []
        }
        return try objects(of: single).filter { $0 !== object }
    }

    final func check(_ object: ManagedObject, for relationship: String, _ destination: EntityID) throws {
        let what = "Cannot link \(object) to \(self) by \"\(relationship)\""
        guard object.context === (try editableContext) else {
            throw ObjectError(
                .foreignObject,
                "\(what): they belong to two contexts. Ask this object's context for that one by its identifier.")
        }
        guard object.objectID.store == objectID.store else {
            throw ObjectError(
                .foreignObject, "\(what): they are in two stores. Insert both into the same one.")
        }
        guard object.objectID.entity == destination else {
            throw ObjectError(.invalidValue, "\(what): the relationship names objects of another entity.")
        }
        guard !isDeleted else {
            throw ObjectError(.unknown, "\(what): \(self) was deleted. Undo that first.")
        }
        guard !object.isDeleted else {
            throw ObjectError(.unknown, "\(what): \(object) was deleted. Undo that first.")
        }
    }

    private func reference(named name: String) throws -> StoredProperty {
        guard let column = layout.column(named: name) else {
            throw layout.many(named: name) == nil
                ? unknownProperty(name)
                : ObjectError(.unknown, "\"\(name)\" of \(layout.name) names several objects. Ask for its objects.")
        }
        guard column.reference != nil else {
            throw ObjectError(.unknown, "\"\(name)\" of \(layout.name) is an attribute. Ask for its value.")
        }
        return column
    }

    final func many(named name: String) throws -> ManyRelationship {
        if let many = layout.many(named: name) { return many }
        guard layout.column(named: name) != nil else { throw unknownProperty(name) }
        throw ObjectError(.unknown, "\"\(name)\" of \(layout.name) does not name several objects.")
    }
}
