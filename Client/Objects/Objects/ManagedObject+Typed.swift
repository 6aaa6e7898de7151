internal import RoostModel

/// The primitives of generated classes: properties by their numbers in the schema, which no rename changes.
///
/// Nothing here throws, because properties of Swift do not. An error becomes the context's ``ObjectContext/failure``, which its
/// saves throw. A property that the schema does not have yet, as in a replica before its upgrade, reads as blank.
extension ManagedObject {
    /// An attribute that must have a value.
    public final subscript<Attribute: AttributeValue>(attribute property: UInt32) -> Attribute {
        get { stored(property).flatMap { Attribute(attribute: $0) } ?? .blank }
        set { store(newValue, property) }
    }

    /// An attribute that may be nil.
    public final subscript<Attribute: AttributeValue>(optional property: UInt32) -> Attribute? {
        get { stored(property).flatMap { Attribute(attribute: $0) } }
        set { store(newValue, property) }
    }

    /// A to-one relationship, or the single end of one.
    public final subscript<Object: ManagedObject>(object property: UInt32) -> Object? {
        get {
            attempt("read a relationship of \(self)") {
                if let many = layout.many(PropertyID(property)) { return try shown(of: many) as? Object }
                return try layout.column(PropertyID(property)).flatMap { try target(of: $0) } as? Object
            } ?? nil
        }
        set {
            attempt("set a relationship of \(self)", losing: edit(property)) {
                if let many = layout.many(PropertyID(property)) { return try setSingle(many, to: newValue) }
                guard let column = layout.column(PropertyID(property)) else { throw isNotThereYet(property) }
                try setReference(column, to: newValue)
            }
        }
    }

    /// A relationship to several.
    public final subscript<Object: ManagedObject>(objects property: UInt32) -> [Object] {
        attempt("read a relationship of \(self)") {
            guard let many = layout.many(PropertyID(property)) else { return [] }
            return try objects(of: many).compactMap { $0 as? Object }
        } ?? []
    }

    /// Adds an object to a relationship to several.
    public final func add(_ object: ManagedObject, to property: UInt32) {
        attempt("add to a relationship of \(self)", losing: edit(property, object)) {
            guard let many = layout.many(PropertyID(property)) else { throw isNotThereYet(property) }
            try add(object, to: many)
        }
    }

    /// Inserts an object into an ordered relationship at an index.
    public final func insert(_ object: ManagedObject, into property: UInt32, at index: Int) {
        attempt("insert into a relationship of \(self)", losing: edit(property, object)) {
            guard let many = layout.many(PropertyID(property)) else { throw isNotThereYet(property) }
            try insert(object, into: many, at: index)
        }
    }

    /// Moves an object of an ordered relationship from one index to another.
    public final func move(in property: UInt32, from: Int, to: Int) {
        attempt("move in a relationship of \(self)", losing: edit(property)) {
            guard let many = layout.many(PropertyID(property)) else { throw isNotThereYet(property) }
            try move(in: many, from: from, to: to)
        }
    }

    /// Removes an object from a relationship to several. An object that could not be added does not have to be removed: the call
    /// ends the failure of the addition.
    public final func remove(_ object: ManagedObject, from property: UInt32) {
        attempt("remove from a relationship of \(self)", losing: edit(property, object, isRemoval: true)) {
            guard let many = layout.many(PropertyID(property)) else { throw isNotThereYet(property) }
            do {
                try remove(object, from: many)
            } catch {
                guard (error as? ObjectError)?.code != .store, hasLostAddition(of: object, to: many) else {
                    throw error
                }
                endFailure(of: many.id, object.objectID)
            }
        }
    }

    private func stored(_ property: UInt32) -> Value? {
        layout.column(PropertyID(property)).map { values[$0.index] }
    }

    private func store<Attribute: AttributeValue>(_ new: Attribute?, _ property: UInt32) {
        let value = new?.attributeValue ?? .null
        // A value that reads as equal is not written: a date does not hold all digits of a timestamp in a distant year.
        if let now = stored(property).flatMap({ Attribute(attribute: $0) }), now.attributeValue == value {
            endFailure(of: PropertyID(property))
            return
        }
        attempt("set an attribute of \(self)", losing: edit(property)) {
            guard let column = layout.column(PropertyID(property)) else { throw isNotThereYet(property) }
            try setAttribute(column, to: value)
        }
    }

    private func edit(_ property: UInt32, _ member: ManagedObject? = nil, isRemoval: Bool = false) -> LostEdit {
        LostEdit(
            object: objectID, property: PropertyID(property), member: member?.objectID, isRemoval: isRemoval)
    }

    @discardableResult
    private func attempt<Result>(
        _ action: @autoclosure () -> String, losing edit: @autoclosure () -> LostEdit? = nil,
        _ body: () throws -> Result
    ) -> Result? {
        do {
            return try body()
        } catch {
            context?.fail(error, "Cannot \(action())", losing: edit())
            return nil
        }
    }

    private func isNotThereYet(_ property: UInt32) -> ObjectError {
        ObjectError(
            .unknown,
            "\(layout.name) has no property \(property) in the schema of this store. Upgrade the store to the schema that the classes were generated from."
        )
    }
}
