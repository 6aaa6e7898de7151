internal import RoostModel

/// A synchronised table as seen by the foreign writer and the oracle: from the schema file, not from Roost's code.
struct ForeignTable: Hashable, Sendable {
    enum ColumnKind: Hashable, Sendable {
        case text, integer, real, data, json, boolean, date, timestamp, uuid
        case reference(EntityID)
    }

    struct Column: Hashable, Sendable {
        var name: String
        var property: PropertyID
        var kind: ColumnKind
        /// The value of a put that does not name the attribute.
        var defaultValue = ForeignValue.null

        var isReference: Bool { if case .reference = kind { true } else { false } }
    }

    var entity: EntityID
    var name: String
    var columns: [Column]

    /// The name of Roost's hidden table, which only the oracle reads.
    var hidden: String { "roost_hidden_\(name)" }

    subscript(_ name: String) -> Column? { columns.first { $0.name == name } }

    /// Returns the tables that the foreign writer writes. Pairs are left to the checker of whole transactions.
    static func all(version: Int) -> [ForeignTable] {
        let own: [Column] = [
            Column(name: "text", property: SampleSchema.text, kind: .text, defaultValue: .text("")),
            Column(name: "number", property: SampleSchema.number, kind: .integer, defaultValue: .integer(0)),
        ]
        let entities = [SampleSchema.folder, SampleSchema.item, SampleSchema.label, SampleSchema.owner]
        let plain = entities.map { entity in
            let references = SampleSchema.references.filter { $0.entity == entity }.map {
                Column(name: $0.column, property: $0.property, kind: .reference($0.destination))
            }
            let notes = entity == SampleSchema.item ? SampleSchema.notes(version: version) : []
            return ForeignTable(
                entity: entity, name: SampleSchema.name(entity).lowercased(),
                columns: own
                    + notes.map {
                        Column(
                            name: $0.name, property: $0.property, kind: .text,
                            defaultValue: .text(SampleSchema.noteDefault))
                    } + references)
        }
        return plain + [
            ForeignTable(entity: SampleSchema.asset, name: "asset", columns: own + SampleSchema.assetColumns)
        ]
    }

    /// Returns the columns of a put as the table must show them; `nil` if the put cannot be decoded.
    func row(of encoded: [UInt8]) -> [String: ForeignValue]? {
        guard let put = try? Put(encoded: encoded), let fields = try? ContentCoding.decode(put.content) else {
            return nil
        }
        var row: [String: ForeignValue] = [:]
        for column in columns {
            if let field = fields.first(where: { $0.property == column.property }) {
                row[column.name] = ForeignValue(field.value)
            } else if let target = put.references.first(where: { $0.relationship == column.property })?.target {
                row[column.name] = .blob(target.bytes)
            } else {
                row[column.name] = column.defaultValue
            }
        }
        return row
    }

    /// Returns whether a row shows a put. A reference that reads NULL may be masked, and a column that the row does not have
    /// is skipped.
    func shows(_ row: [String: ForeignValue], _ encoded: [UInt8]) -> Bool {
        guard let expected = self.row(of: encoded) else { return false }
        return columns.allSatisfy { column in
            guard let value = row[column.name] else { return true }
            return value == expected[column.name] || column.isReference && value == .null
        }
    }
}

extension ForeignValue {
    init(_ value: Value) {
        switch value {
        case .null: self = .null
        case .string(let text): self = .text(text)
        case .integer(let number): self = .integer(number)
        // SQLite stores no NaN, and no negative zero.
        case .double(let number): self = number.isNaN ? .null : .real(number == 0 ? 0 : number)
        case .boolean(let flag): self = .integer(flag ? 1 : 0)
        case .data(let bytes): self = .blob(bytes)
        }
    }
}
