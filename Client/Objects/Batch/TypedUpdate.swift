public import Predicates
public import RoostModel

/// A property that ``ObjectContext/updateAll(_:_:_:)`` sets of many records, and to what.
public struct TypedUpdate<Root: EntityFields>: Hashable, Sendable {
    /// The property's name in the schema.
    public let property: String
    /// What it is set to.
    public let value: Value

    private init(_ property: String, _ value: Value) {
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

    /// Lets a to-one relationship of the records name another record, or none. A single end is stored on its other side, and set there.
    ///
    /// - Parameter record: A saved object of the same store, its ``ObjectID``, or its ``RecordID``.
    public static func set<Fields: EntityFields>(
        _ relationship: KeyPath<Root, Fields>, to record: (any PredicateReference)?
    ) -> TypedUpdate {
        TypedUpdate(Root(path: "")[keyPath: relationship].path, record.map(Self.reference) ?? .null)
    }

    /// What is no identifier is left to the update, which refuses it.
    private static func reference(_ record: any PredicateReference) -> Value {
        switch record.predicateValue {
        case .identifier(let id): .bytes(id.bytes)
        case .bytes(let bytes): .bytes(bytes)
        default: .text("")
        }
    }
}

extension ObjectContext {
    /// Sets properties of all records that a request asks for.
    ///
    ///     try context.updateAll(old, [.set(\.lent, to: false), .set(\.series, to: nil)], "take back")
    ///
    /// Unsaved changes of contexts are not seen and not touched. Objects of this context that are alive are refreshed afterwards.
    ///
    /// - Parameters:
    ///   - request: Which records; its order counts where it has a limit.
    ///   - updates: What is set; of several for one property the last one counts.
    ///   - label: What is done, for the log.
    /// - Returns: How many records were written: those that hold the values already are left alone.
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
