internal import Objects
internal import RoostModel

/// A transaction of several operations.
struct WriteCall {
    private let label: String
    private let operations: [Operation]

    /// The maximum number of operations.
    private static let operationsMax = 1_000_000

    /// One operation. Its record is given by an identifier, or by the name that an earlier operation gave it.
    private enum Operation {
        case insert(String, id: RecordID?, name: String?, [JSONValue.Member])
        case update(String, Record, [JSONValue.Member])
        case delete(String, Record)
        case undelete(String, RecordID)
        case add(String, Record, relationship: String, Record, at: Int?)
        case remove(String, Record, relationship: String, Record)
    }

    /// A record that an operation names.
    enum Record {
        case id(RecordID)
        /// The name that an insert of the same call gave.
        case name(String)
    }

    init(_ members: inout Members) throws {
        label = try members.text("label") ?? "write"
        guard let list = members.value("operations") else {
            throw CallError(.misuse, "missingMember", "\(members.place) needs \"operations\", which is missing.")
        }
        guard let items = list.arrayValue, items.count <= Self.operationsMax else {
            throw CallError(
                .misuse, "wrongType",
                "\"operations\" of \(members.place) is not an array of at most \(Self.operationsMax) operations.")
        }
        operations = try items.enumerated().map { index, item in
            try Self.operation(item, "Operation \(index) of \(members.place)")
        }
    }

    private static func operation(_ item: JSONValue, _ place: String) throws -> Operation {
        var members = try Members(place, item)
        let operation: Operation
        if let entity = try members.text("insert") {
            operation = .insert(
                entity, id: members.has("id") ? try members.recordID() : nil, name: try members.text("as"),
                try values(&members))
        } else if let entity = try members.text("update") {
            operation = .update(entity, try record(&members, "id"), try values(&members))
        } else if let entity = try members.text("delete") {
            operation = .delete(entity, try record(&members, "id"))
        } else if let entity = try members.text("undelete") {
            operation = .undelete(entity, try members.recordID())
        } else if let entity = try members.text("add") {
            operation = .add(
                entity, try record(&members, "id"), relationship: try members.requiredText("relationship"),
                try record(&members, "record"), at: try members.integer("at", in: 0...Int64.max).map { Int($0) })
        } else if let entity = try members.text("remove") {
            operation = .remove(
                entity, try record(&members, "id"), relationship: try members.requiredText("relationship"),
                try record(&members, "record"))
        } else {
            throw CallError(
                .misuse, "missingMember",
                "\(place) is none of \"insert\", \"update\", \"delete\", \"undelete\", \"add\" and \"remove\".")
        }
        try members.end()
        return operation
    }

    private static func values(_ members: inout Members) throws -> [JSONValue.Member] {
        guard let value = members.value("values") else { return [] }
        guard let values = value.members else {
            throw CallError(
                .misuse, "wrongType", "\"values\" of \(members.place) is \(value.kindName), expected an object.")
        }
        return values
    }

    private static func record(_ members: inout Members, _ name: String) throws -> Record {
        guard let value = members.value(name) else {
            throw CallError(.misuse, "missingMember", "\(members.place) needs \"\(name)\", which is missing.")
        }
        guard let record = Record(value) else {
            throw CallError(
                .invalid, "invalidValue",
                "\"\(name)\" of \(members.place) is no record. Write its UUID, or {\"as\": the name of a new one}.")
        }
        return record
    }

    // MARK: Running

    /// Writes the operations in one transaction.
    func run(_ use: ReplicaEntry.Use) throws -> JSONValue {
        let writer = RecordWriter(use)
        try writer.prepare(operations.flatMap { named(by: $0, writer) })
        var ids: [JSONValue] = []
        for (index, operation) in operations.enumerated() {
            do {
                ids.append(.string(try carryOut(operation, writer).objectID.record.description))
            } catch {
                throw CallError(error).at("operation \(index)")
            }
        }
        try writer.context.save(label)
        return .members(("ids", .array(ids)))
    }

    /// Returns the records that an operation names by their identifiers.
    private func named(by operation: Operation, _ writer: RecordWriter) -> [(entity: String, id: RecordID)] {
        func named(_ entity: String, _ record: Record) -> [(entity: String, id: RecordID)] {
            if case .id(let id) = record { [(entity, id)] } else { [] }
        }
        switch operation {
        case .insert(let entity, let id, _, let values):
            return (id.map { [(entity, $0)] } ?? []) + writer.references(values, of: entity)
        case .update(let entity, let record, let values):
            return named(entity, record) + writer.references(values, of: entity)
        case .delete(let entity, let record): return named(entity, record)
        case .undelete: return []
        case .add(let entity, let record, let relationship, let other, _),
            .remove(let entity, let record, let relationship, let other):
            let destination = writer.destination(of: relationship, entity)
            return named(entity, record) + (destination.map { named($0, other) } ?? [])
        }
    }

    private func carryOut(_ operation: Operation, _ writer: RecordWriter) throws -> ManagedObject {
        switch operation {
        case .insert(let entity, let id, let name, let values):
            return try writer.insert(entity, id: id, named: name, values)
        case .update(let entity, let record, let values):
            let object = try writer.object(entity, record)
            try writer.set(values, of: object)
            return object
        case .delete(let entity, let record):
            let object = try writer.object(entity, record)
            try writer.context.delete(object)
            return object
        case .undelete(let entity, let id):
            return writer.keep(try writer.context.undelete(entity, id: id))
        case .add(let entity, let record, let relationship, let other, let index):
            let object = try writer.object(entity, record)
            let added = try writer.object(writer.destination(of: relationship, object), other)
            if let index {
                try object.insert(added, into: relationship, at: index)
            } else {
                try object.add(added, to: relationship)
            }
            return object
        case .remove(let entity, let record, let relationship, let other):
            let object = try writer.object(entity, record)
            try object.remove(
                try writer.object(writer.destination(of: relationship, object), other), from: relationship)
            return object
        }
    }
}

extension WriteCall.Record {
    /// Reads a UUID, or `{"as": name}`; `nil` for anything else.
    init?(_ value: JSONValue) {
        if let text = value.stringValue {
            guard let id = RecordID(text) else { return nil }
            self = .id(id)
        } else if let members = value.members, members.count == 1, let name = value["as"]?.stringValue {
            self = .name(name)
        } else {
            return nil
        }
    }
}

extension CallError {
    /// Returns the error with its location in a call.
    fileprivate func at(_ place: String) -> CallError {
        var error = CallError(kind, code, "\(message) (\(place))")
        (error.serverCode, error.predicate, error.problems) = (serverCode, predicate, problems)
        return error
    }
}
