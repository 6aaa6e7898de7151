internal import GRDB
internal import RoostModel

/// A put's content as a row of its entity's table, and back.
struct RowCoding {
    let table: EntityTable
    let database: Database

    /// What a put holds, sorted into the table's columns.
    struct Row {
        /// One for each column of the table; those of references are null.
        var values: [Value]
        /// The references that the table has columns for, as stored.
        var references: [Put.Reference] = []
        /// What the schema does not know, to be passed on untouched.
        var extra: Put?
    }

    /// Why a put cannot be shown.
    struct Unfit: Error {
        var reason: String
    }

    func decode(_ encoded: [UInt8]) throws(Unfit) -> Row {
        let put: Put
        let fields: [ContentCoding.Field]
        do {
            put = try Put(encoded: encoded)
            fields = try ContentCoding.decode(put.content)
        } catch {
            throw Unfit(reason: "The content is not a Put message.")
        }
        var row = Row(values: table.defaults)
        var extra = Put()
        var unknown: [ContentCoding.Field] = []
        for field in fields {
            if let index = index(of: field.property, isReference: false) {
                row.values[index] = field.value
            } else {
                unknown.append(field)
            }
        }
        for reference in put.references {
            if index(of: reference.relationship, isReference: true) != nil {
                row.references.append(reference)
            } else {
                extra.references.append(reference)
            }
        }
        if !unknown.isEmpty { extra.content = ContentCoding.encode(unknown) }
        if extra != Put() { row.extra = extra }
        try check(row)
        return row
    }

    /// The place of a property's column.
    func index(of property: PropertyID, isReference: Bool) -> Int? {
        table.slots.firstIndex { $0.property == property.rawValue && $0.isReference == isReference }
    }

    /// Encodes the row that `query` stands on, its columns from `first` on.
    ///
    /// - Parameters:
    ///   - masked: Stored references whose column reads nil.
    ///   - extra: What the schema does not know.
    func encode(_ query: Query, from first: Int32, masked: [PropertyID: RecordID], extra: Put?) throws -> [UInt8] {
        var put = Put()
        var fields: [ContentCoding.Field] = []
        for (offset, column) in table.columns.enumerated() {
            let index = first + Int32(offset)
            switch column.kind {
            case .attribute(let attribute):
                let value = query.value(index, as: attribute.kind)
                if value != .null || attribute.defaultValue != nil {
                    fields.append(.init(property: column.property, value: value))
                }
            case .reference:
                if let target = query.id(index) ?? masked[column.property] {
                    put.references.append(.init(relationship: column.property, target: target))
                }
            }
        }
        if let extra {
            fields = (fields + (try ContentCoding.decode(extra.content))).sorted { $0.property < $1.property }
            put.references = (put.references + extra.references).sorted { $0.relationship < $1.relationship }
        }
        put.content = ContentCoding.encode(fields)
        return put.encoded()
    }

    /// The same strictness as the visible table has, before the table is asked.
    private func check(_ row: Row) throws(Unfit) {
        for (index, slot) in table.slots.enumerated() {
            let reason: String? =
                if !slot.isReference {
                    mismatch(row.values[index], slot)
                } else if !slot.mayBeNull,
                    !row.references.contains(where: { $0.relationship.rawValue == slot.property })
                {
                    "is nil, but required"
                } else {
                    nil
                }
            if let reason { throw Unfit(reason: "\(table.name) \"\(table.columns[index].name)\" \(reason).") }
        }
    }

    /// What the visible table takes: where the strict parser does not, SQLite is asked, which its author's table asked too.
    private func isJSON(_ text: String) -> Bool {
        if (try? JSONParser.parse(text, depthMax: 64)) != nil { return true }
        guard let query = try? database.query("SELECT json_valid(?)") else { return false }
        query.bind(1, text)
        return (try? query.first { $0.integer(0) == 1 }) == true
    }

    private func mismatch(_ value: Value, _ slot: EntityTable.Slot) -> String? {
        switch (value, slot.kind) {
        case (.null, _): slot.mayBeNull ? nil : "is nil, but required"
        case (.text, .string), (.integer, .integer), (.integer, .timestamp), (.real, .double), (.boolean, .boolean),
            (.bytes, .data):
            nil
        case (.text(let text), .date): PlainDate.isValid(text) ? nil : "is not a day that exists"
        case (.text(let text), .json): isJSON(text) ? nil : "is not JSON"
        case (.bytes(let bytes), .uuid): bytes.count == 16 ? nil : "is not 16 bytes"
        default: "is not a \(slot.kind.rawValue)"
        }
    }
}
