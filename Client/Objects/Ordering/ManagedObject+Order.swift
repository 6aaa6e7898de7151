internal import RoostModel

/// Relationships with an order: `orderedBy` of the schema.
///
/// The position of an object is an attribute of its own, a text between the positions of its neighbours. A move therefore writes
/// one record. Neighbours are written too where they leave no room: see `Placement`.
extension ManagedObject {
    /// Inserts an object into an ordered relationship at an index; from now on it belongs to this object. An object that already
    /// belongs to it is moved.
    ///
    /// - Parameter index: The number of the relationship's other objects that come before it.
    /// - Throws: As ``set(_:to:)-(_,ManagedObject?)``; ``ObjectError`` with the code `invalidRequest` where the relationship has
    ///   no order, or fewer objects than `index`. Nothing is changed.
    public final func insert(_ object: ManagedObject, into relationship: String, at index: Int) throws {
        try insert(object, into: try many(named: relationship), at: index)
    }

    /// Moves an object of an ordered relationship.
    ///
    /// - Parameters:
    ///   - from: The object's current index.
    ///   - to: The object's new index.
    /// - Throws: ``ObjectError`` with the code `unknown`; `invalidRequest` where the relationship has no order, or the indices do
    ///   not exist; `store` where the relationship could not be read. Nothing is changed.
    public final func move(in relationship: String, from: Int, to: Int) throws {
        try move(in: try many(named: relationship), from: from, to: to)
    }

    final func move(in many: ManyRelationship, from: Int, to: Int) throws {
        let objects = try objects(of: many)
        guard objects.indices.contains(from), objects.indices.contains(to) else {
            throw ObjectError(
                .invalidRequest,
                "Cannot move from \(from) to \(to) in \"\(many.name)\" of \(self): it has \(objects.count) objects. Count from 0."
            )
        }
        try insert(objects[from], into: many, at: to)
        endFailure(of: many.id)
    }

    final func insert(_ object: ManagedObject, into many: ManyRelationship, at index: Int) throws {
        guard let position = many.position, case .inverse(let column) = many.form else {
            throw ObjectError(
                .invalidRequest,
                "\"\(many.name)\" of \(layout.name) has no order. Add to it, or write \"orderedBy\" into the schema.")
        }
        try check(object, for: many.name, many.destination)
        let now = try objects(of: many)
        let others = now.filter { $0 !== object }
        guard (0...others.count).contains(index) else {
            throw ObjectError(
                .invalidRequest,
                "Cannot put \(object) at \(index) in \"\(many.name)\" of \(self): it has \(others.count) other objects. Count from 0."
            )
        }
        let reference = object.layout.columns[column]
        if object.targetID(of: reference) != objectID || now.firstIndex(where: { $0 === object }) != index {
            try place(object, at: index, among: others, position)
            try object.link(reference, to: self, isPlaced: true)
        }
        endFailures(of: many, changing: object)
    }

    /// Gives an object that is about to name this one a position after all objects that do.
    final func append(_ object: ManagedObject, by column: StoredProperty) throws {
        guard let inverse = column.reference?.inverse, inverse.orderedBy != nil, let many = layout.many(inverse.id),
            let position = many.position
        else { return }
        let others = try objects(of: many)
        if let last = others.last, last !== object {
            let property = object.layout.columns[position]
            switch last.values[position] {
            case .string(let text):
                if let key = PositionKey(text) {
                    return try object.write(.string(PositionKey.between(key, nil).text), to: property)
                }
            // After objects without a position, an object that was made last comes last without one too, so no position has to be
            // written.
            case .null where property.attribute?.isOptional == true && last.objectID < object.objectID:
                return try object.write(.null, to: property)
            default: break
            }
        }
        let rest = others.filter { $0 !== object }
        try place(object, at: rest.count, among: rest, position)
    }

    private func place(
        _ object: ManagedObject, at index: Int, among others: [ManagedObject], _ position: Int
    ) throws {
        let keys = others.map { other -> String? in
            if case .string(let text) = other.values[position] { text } else { nil }
        }
        let placement = Placement(at: index, among: keys)
        let column = object.layout.columns[position]
        for (place, key) in placement.others.sorted(by: { $0.key < $1.key }) {
            try others[place].write(.string(key), to: column)
        }
        try object.write(.string(placement.key), to: column)
    }
}
