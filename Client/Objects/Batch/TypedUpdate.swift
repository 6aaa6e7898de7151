public import Predicates
public import RoostModel

/// A property and its new value, for ``ObjectContext/updateAll(_:_:_:)``.
public struct TypedUpdate<Root: EntityFields>: Hashable, Sendable {
    /// The property's name in the schema.
    public let property: String
    /// The new value.
    public let value: Value

    init(_ property: String, _ value: Value) {
        self.property = property
        self.value = value
    }

    /// Sets an attribute of the records themselves.
    ///
    /// - Parameter value: `nil` only where the attribute may be nil; the update throws otherwise.
    public static func set<Field: AttributeValue>(
        _ field: KeyPath<Root, FieldPath<Field>>, to value: Field?
    ) -> TypedUpdate {
        TypedUpdate(Root(path: "")[keyPath: field].path, value?.attributeValue ?? .null)
    }

    /// Sets an attribute of whole numbers of the records themselves.
    ///
    /// - Parameter value: `nil` only where the attribute may be nil; the update throws otherwise, and for a number beyond 64 bits.
    public static func set(
        _ field: KeyPath<Root, FieldPath<Int64>>, to value: (some PredicateInteger)?
    ) -> TypedUpdate {
        let number = value.map { value in Int64(exactly: value).map(Value.integer) ?? .double(Double(value)) }
        return TypedUpdate(Root(path: "")[keyPath: field].path, number ?? .null)
    }

    /// Sets a to-one relationship of the records to another record, or to none. A single end is stored on its other side, and set
    /// there.
    ///
    /// - Parameter record: A saved object of the records' store, its ``ObjectID``, or its ``RecordID``.
    public static func set<Fields: EntityFields>(
        _ relationship: KeyPath<Root, Fields>, to record: (any PredicateReference)?
    ) -> TypedUpdate {
        TypedUpdate(Root(path: "")[keyPath: relationship].path, record.map(Self.reference) ?? .null)
    }

    /// Returns the value of a reference. A value that is not an identifier is passed on to the update, which refuses it.
    private static func reference(_ record: any PredicateReference) -> Value {
        switch record.predicateValue {
        case .identifier(let id): .data(id.bytes)
        case .data(let bytes): .data(bytes)
        default: .string("")
        }
    }
}

extension ObjectContext {
    /// Sets properties of all records that a request asks for.
    ///
    ///     try context.updateAll(old, [.set(\.lent, to: false), .set(\.series, to: nil)], "take back")
    ///
    /// The update neither sees nor touches unsaved changes of contexts. It refreshes the live objects of this context afterwards.
    ///
    /// - Parameters:
    ///   - request: The request for the records; its order matters where it has a limit.
    ///   - updates: The properties to set; of several for one property, the last one applies.
    ///   - label: The name of the action, for the log.
    /// - Returns: The number of written records. Records that already have the values are not written.
    /// - Throws: As ``updateAll(_:_:_:)-(_,[String:Value],_)``; `unknown` for a property of another record, such as
    ///   `\.author.name`.
    @discardableResult
    public func updateAll<Object: TypedObject>(
        _ request: FetchRequest<Object>, _ updates: [TypedUpdate<Object.Fields>], _ label: String = "update"
    ) throws -> Int {
        let values = Dictionary(updates.map { ($0.property, $0.value) }) { _, last in last }
        return try updateAll(request, values, label)
    }
}
