internal import Objects
internal import RoostModel

/// Makes and changes the records of one transaction in a context of its own.
final class RecordWriter {
    let context: ObjectContext
    private let schema: Schema
    /// The records that operations have named.
    private var named: [ExactText: ManagedObject] = [:]
    /// The objects of the transaction, which a context keeps alive only while they are changed.
    private var known: [RecordKey: ManagedObject] = [:]

    /// The number of records that one fetch reads.
    private static let recordsAtOnce = 10_000

    init(_ use: ReplicaEntry.Use) {
        context = use.context
        schema = use.schema
    }

    /// Reads the visible ones of the records that the transaction names. A context lays its unsaved changes over the tables for
    /// each later read, which would take longer with each operation.
    func prepare(_ records: [(entity: String, id: RecordID)]) throws {
        for (entity, records) in Dictionary(grouping: records, by: { ExactText($0.entity) }) {
            // The operation that names an unknown entity reports it.
            guard schema.entity(named: entity.text) != nil else { continue }
            let ids = Array(Set(records.map(\.id)))
            for start in stride(from: 0, to: ids.count, by: Self.recordsAtOnce) {
                let part = ids[start..<min(start + Self.recordsAtOnce, ids.count)]
                let list = PredicateValue.list(part.map { .identifier($0) })
                let request = FetchRequest<ManagedObject>(
                    entity.text, where: try FetchPredicate(format: "SELF IN %@", arguments: [list]))
                for object in try context.fetch(request) { _ = keep(object) }
            }
        }
    }

    /// Returns the records that values of an entity refer to.
    func references(_ values: [JSONValue.Member], of entity: String) -> [(entity: String, id: RecordID)] {
        guard let entity = schema.entity(named: entity) else { return [] }
        return values.compactMap { member in
            guard let relationship = entity.relationship(named: member.name),
                let id = member.value.stringValue.flatMap({ RecordID($0) })
            else { return nil }
            return (relationship.destination, id)
        }
    }

    /// Keeps an object until the end of the transaction.
    func keep(_ object: ManagedObject) -> ManagedObject {
        known[RecordKey(entity: object.objectID.entity, id: object.objectID.record)] = object
        return object
    }

    private func knownObject(_ entity: String, _ id: RecordID) -> ManagedObject? {
        guard let entity = schema.entity(named: entity),
            let object = known[RecordKey(entity: entity.id, id: id)], !object.isDeleted
        else { return nil }
        return object
    }

    /// Returns a record that has to be visible.
    func object(_ entity: String, _ record: WriteCall.Record) throws -> ManagedObject {
        switch record {
        case .name(let name):
            guard let object = named[ExactText(name)] else {
                throw CallError(
                    .invalid, "unknown", "No operation before this one makes a record named \"\(name)\" with \"as\".")
            }
            return object
        case .id(let id):
            if let object = knownObject(entity, id) { return object }
            // An earlier operation may have brought it back.
            guard let object = try context.object(entity, id: id) else {
                throw CallError(
                    .notFound, "unknown", "There is no \(entity) \(id): it is deleted or hidden, or never existed.")
            }
            return keep(object)
        }
    }

    /// Makes a record.
    func insert(
        _ entity: String, id: RecordID?, named name: String?, _ values: [JSONValue.Member]
    ) throws -> ManagedObject {
        if let id, knownObject(entity, id) != nil {
            throw CallError(
                .invalid, "exists", "Cannot insert \(entity) \(id): there is a record with that identifier.")
        }
        let object = keep(try id.map { try context.insertNew(entity, id: $0) } ?? context.insert(entity))
        if let name {
            guard named.updateValue(object, forKey: ExactText(name)) == nil else {
                throw CallError(.invalid, "invalidValue", "Two records are named \"\(name)\" with \"as\". Rename one.")
            }
        }
        try set(values, of: object)
        return object
    }

    /// Sets attributes and relationships to one record.
    func set(_ values: [JSONValue.Member], of object: ManagedObject) throws {
        for member in values {
            if let attribute = object.entity.attribute(named: member.name) {
                try object.set(attribute.name, to: try value(member.value, attribute, object.entity))
            } else if let relationship = object.entity.relationship(named: member.name) {
                try set(relationship, of: object, to: member.value)
            } else {
                throw unknown(member.name, of: object.entity)
            }
        }
    }

    /// Returns the name of the entity at the other end of a relationship; `nil` where there is none of that name.
    func destination(of name: String, _ entity: String) -> String? {
        schema.entity(named: entity)?.relationship(named: name)?.destination
    }

    /// Returns the name of the entity at the other end of a relationship.
    func destination(of name: String, _ object: ManagedObject) throws -> String {
        guard let relationship = object.entity.relationship(named: name) else {
            throw unknown(name, of: object.entity)
        }
        return relationship.destination
    }

    private func value(_ json: JSONValue, _ attribute: Attribute, _ entity: Entity) throws -> Value {
        guard json != .null else { return .null }
        do {
            return try AttributeJSON.value(json, kind: attribute.kind)
        } catch {
            throw CallError(
                .invalid, "invalidValue",
                "Cannot set \"\(attribute.name)\" of \(entity.name), which is \(attribute.kind.phrase): \(error.reason). "
                    + "\(error.cure).")
        }
    }

    private func set(_ relationship: Relationship, of object: ManagedObject, to json: JSONValue) throws {
        let place = "\"\(relationship.name)\" of \(object.entity.name)"
        guard relationship.kind == .toOne || relationship.isSingle else {
            throw CallError(
                .invalid, "invalidValue", "Cannot set \(place): it names several records. Use \"add\" and \"remove\".")
        }
        guard json != .null else { return try object.set(relationship.name, to: nil as ManagedObject?) }
        guard let record = WriteCall.Record(json) else {
            throw CallError(
                .invalid, "invalidValue",
                "Cannot set \(place) to \(json.kindName). Write the UUID of a record, {\"as\": the name of a new one}, or null."
            )
        }
        try object.set(relationship.name, to: try self.object(relationship.destination, record))
    }

    private func unknown(_ name: String, of entity: Entity) -> CallError {
        let names = (entity.attributes.map(\.name) + entity.relationships.map(\.name)).map { "\"\($0)\"" }
        return CallError(
            .notFound, "unknown",
            "\(entity.name) has no property \"\(name)\". It has \(names.joined(separator: ", ")).")
    }
}
