internal import Objects
internal import RoostModel

/// The JSON form of the records of an entity.
struct RowForm {
    let entity: Entity
    /// The properties that a row has, beside `id`.
    private let properties: [(name: String, kind: Attribute.Kind)]

    /// - Throws: ``CallError`` with the kind `notFound` where the schema has no such entity.
    init(_ name: String, in schema: Schema) throws(CallError) {
        guard let entity = schema.entity(named: name) else {
            let names = schema.entities.map { "\"\($0.name)\"" }.joined(separator: ", ")
            throw CallError(
                .notFound, "unknown",
                "There is no entity \"\(name)\" in the schema \"\(schema.name)\". It has \(names).")
        }
        self.entity = entity
        properties =
            entity.attributes.map { ($0.name, $0.kind) } + entity.references.map { ($0.name, Attribute.Kind.uuid) }
    }

    /// The types of the values of a row, by their names.
    var kinds: JSONValue { Self.kinds([("id", .uuid)] + properties) }

    /// Returns types as JSON.
    static func kinds(_ properties: [(name: String, kind: Attribute.Kind)]) -> JSONValue {
        .object(properties.map { JSONValue.Member($0.name, .string($0.kind.rawValue)) })
    }

    /// Returns a record as a row.
    func row(_ object: ManagedObject) throws -> JSONValue { .object(try members(object)) }

    /// Returns a record with the identifiers of the records that its other relationships name.
    func record(_ object: ManagedObject) throws -> JSONValue {
        var members = try members(object)
        for relationship in entity.relationships where relationship.kind != .toOne {
            let name = relationship.name
            let value =
                relationship.isSingle
                ? Self.json(try object.objectID(of: name))
                : .array(try object.objects(name).map { Self.json($0.objectID) })
            members.append(JSONValue.Member(name, value))
        }
        return .object(members)
    }

    private func members(_ object: ManagedObject) throws -> [JSONValue.Member] {
        let id = JSONValue.Member("id", Self.json(object.objectID))
        return try [id]
            + properties.map { name, kind in
                JSONValue.Member(name, AttributeJSON.json(try object.value(of: name), kind: kind))
            }
    }

    private static func json(_ id: ObjectID?) -> JSONValue { id.map { .string($0.record.description) } ?? .null }
}

extension Members {
    /// Returns the identifier of a record, which has to be there.
    mutating func recordID(_ name: String = "id") throws(CallError) -> RecordID {
        let text = try requiredText(name)
        guard let id = RecordID(text) else {
            throw CallError(
                .invalid, "invalidValue", "\"\(name)\" of \(place) is \"\(text)\", expected a UUID of 36 characters.")
        }
        return id
    }
}
