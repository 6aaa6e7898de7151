public import RoostModel

extension ManagedObject {
    /// Returns the value of an attribute, or the bytes of the record that a to-one relationship names, as written.
    ///
    /// - Throws: ``ObjectError`` with the code `unknown`.
    public final func value(of name: String) throws -> Value { values[try column(named: name).index] }

    /// Returns the store's value of an attribute or to-one relationship, as last read; `nil` for a new object.
    ///
    /// - Throws: ``ObjectError`` with the code `unknown`.
    public final func committedValue(of name: String) throws -> Value? {
        let column = try column(named: name)
        return isInserted ? nil : (committed ?? values)[column.index]
    }

    /// Sets an attribute. A required attribute may be nil until the object is saved.
    ///
    /// - Throws: ``ObjectError`` with the code `unknown` or `invalidValue`; the object is unchanged.
    public final func set(_ name: String, to value: Value) throws {
        try setAttribute(try column(named: name), to: value)
    }

    final func setAttribute(_ column: StoredProperty, to value: Value) throws {
        try write(try fitting(value, column), to: column)
        endFailure(of: column.id)
    }

    /// Checks that a value has the form of a column's type, and returns it without a negative zero. The further conditions of the
    /// type are checked when the object is saved.
    ///
    /// - Throws: ``ObjectError`` with the code `invalidValue`.
    final func fitting(_ value: Value, _ column: StoredProperty) throws -> Value {
        guard let attribute = column.attribute else {
            throw ObjectError(
                .invalidValue,
                "Cannot set \"\(column.name)\" of \(self) to a value: it is a relationship. Set it to an object.")
        }
        guard value == .null || attribute.kind.takes(value) else {
            throw ObjectError(
                .invalidValue,
                "Cannot set \"\(column.name)\" of \(self): the value is \(value.formName), and the attribute of type \(attribute.kind.rawValue). Give it \(attribute.kind.formName)."
            )
        }
        // No column holds a negative zero.
        return value.withoutNegativeZero
    }

    /// Returns the stored property of a name.
    final func column(named name: String) throws -> StoredProperty {
        if let column = layout.column(named: name) { return column }
        if layout.single(named: name) != nil {
            throw ObjectError(
                .unknown, "\"\(name)\" of \(layout.name) is stored in the object at its other end. Ask for that object."
            )
        }
        if layout.many(named: name) != nil {
            throw ObjectError(
                .unknown, "\"\(name)\" of \(layout.name) names several objects. Ask for its objects, not for a value.")
        }
        throw unknownProperty(name)
    }

    final func unknownProperty(_ name: String) -> ObjectError {
        ObjectError(.unknown, "\(layout.name) has no property \"\(name)\". It has \(layout.knownNames).")
    }

    /// Writes a value that fits to its column, and notifies the context.
    final func write(_ value: Value, to column: StoredProperty) throws {
        guard values[column.index] != value else { return }
        let context = try editableContext
        guard !isDeleted else {
            throw ObjectError(
                .unknown, "Cannot set \"\(column.name)\" of \(self): the object was deleted. Undo that first.")
        }
        context.recordUndo(of: self)
        context.recordChange(of: self)
        values[column.index] = value
        if !layout.orderedReferences.isEmpty { context.reordered(self, by: column) }
    }

    /// The context, for a change of the object.
    ///
    /// - Throws: ``ObjectError`` with the code `contextEnded`.
    final var editableContext: ObjectContext {
        get throws {
            guard let context, !context.isReadOnly else { throw contextHasEnded }
            return context
        }
    }

    final var contextHasEnded: ObjectError {
        ObjectError(
            .contextEnded,
            "Cannot change \(self): its context has ended. Keep the context as long as its objects are changed, or ask another context for the object by its identifier."
        )
    }
}

extension Value {
    /// The form of the value, for messages, which never contain the value itself.
    var formName: String {
        switch self {
        case .null: "nil"
        case .string: "text"
        case .integer: "a whole number"
        case .double: "a floating-point number"
        case .boolean: "true or false"
        case .data: "bytes"
        }
    }

    /// The record that a reference with this value names.
    var recordID: RecordID? { if case .data(let bytes) = self { RecordID(bytes: bytes) } else { nil } }
}
