internal import Replica
internal import RoostModel

/// One statement of a local transaction, performed by the library or by SQL.
enum Operation: Hashable {
    /// A new record, or a full replacement of an existing one.
    case put(RecordKey, marker: String, number: Int64, references: [String: RecordID], notes: [String] = [])
    /// - Parameter notes: The attributes of later schema versions that get the marker too.
    case setText(RecordKey, marker: String, notes: [String] = [])
    case setReference(RecordKey, column: String, RecordID?, marker: String)
    case delete(RecordKey)
    case undelete(RecordKey)

    var key: RecordKey {
        switch self {
        case .put(let key, _, _, _, _), .setText(let key, _, _), .setReference(let key, _, _, _), .delete(let key),
            .undelete(let key):
            key
        }
    }

    var marker: String? { if case .put(let marker) = written { marker } else { nil } }

    /// The attributes of later schema versions that the operation writes.
    var notes: [String] {
        switch self {
        case .put(_, _, _, _, let notes), .setText(_, _, let notes): notes
        case .setReference, .delete, .undelete: []
        }
    }

    /// The kind of write that is reported to the checkers.
    var written: LocalWrite.Kind {
        switch self {
        case .put(_, let marker, _, _, _), .setText(_, let marker, _), .setReference(_, _, _, let marker):
            .put(marker: marker)
        case .delete: .delete
        case .undelete: .undelete
        }
    }

    // MARK: By the library

    func perform(in transaction: LocalTransaction) throws {
        let name = SampleSchema.name(key.entity)
        switch self {
        case .put(let key, let marker, let number, let references, let notes):
            var values: [String: Value] = ["text": .string(marker), "number": .integer(number)]
            for note in notes { values[note] = .string(marker) }
            for (column, target) in references { values[column] = .data(target.bytes) }
            try transaction.put(name, id: key.id, values)
        case .setText(let key, let marker, let notes):
            var values: [String: Value] = ["text": .string(marker)]
            for note in notes { values[note] = .string(marker) }
            try transaction.put(name, id: key.id, values)
        case .setReference(let key, let column, let target, let marker):
            try transaction.put(
                name, id: key.id, ["text": .string(marker), column: target.map { .data($0.bytes) } ?? .null])
        case .delete(let key): try transaction.delete(name, id: key.id)
        case .undelete(let key): try transaction.undelete(name, id: key.id)
        }
    }

    // MARK: By SQL

    /// Returns the statement for a file with this form of identifiers; `nil` where SQL cannot perform the operation.
    func sql(_ identifiers: IdentifierForm) -> String? {
        let table = SampleSchema.name(key.entity).lowercased()
        let id = identifiers.literal(key.id)
        switch self {
        case .put(_, let marker, let number, let references, let notes):
            let columns = ["id", "text", "number"] + notes + references.keys.sorted()
            let values =
                [id, "'\(marker)'", "\(number)"] + notes.map { _ in "'\(marker)'" }
                + references.keys.sorted().map { references[$0].map(identifiers.literal) ?? "NULL" }
            return "INSERT OR REPLACE INTO \(table)(\(columns.joined(separator: ", "))) "
                + "VALUES (\(values.joined(separator: ", ")))"
        case .setText(_, let marker, let notes):
            let values = (["text"] + notes).map { "\($0) = '\(marker)'" }
            return "UPDATE \(table) SET \(values.joined(separator: ", ")) WHERE id = \(id)"
        case .setReference(_, let column, let target, let marker):
            let value = target.map(identifiers.literal) ?? "NULL"
            return "UPDATE \(table) SET text = '\(marker)', \(column) = \(value) WHERE id = \(id)"
        case .delete: return "DELETE FROM \(table) WHERE id = \(id)"
        case .undelete: return nil
        }
    }
}
