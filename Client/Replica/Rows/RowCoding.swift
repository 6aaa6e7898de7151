internal import GRDB
internal import RoostModel

/// A put's content as a row of its entity's table, and back.
struct RowCoding {
    let table: EntityTable

    /// What a put holds, sorted into the table's columns.
    struct Row {
        /// One for each column of the table, references as stored.
        var values: [Value]
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
        var row = Row(values: defaults)
        var extra = Put()
        var unknown: [ContentCoding.Field] = []
        for field in fields {
            if let index = attributeIndex(field.property) {
                row.values[index] = field.value
            } else {
                unknown.append(field)
            }
        }
        for reference in put.references {
            if let index = referenceIndex(reference.relationship) {
                row.values[index] = .bytes(reference.target.bytes)
            } else {
                extra.references.append(reference)
            }
        }
        if !unknown.isEmpty { extra.content = ContentCoding.encode(unknown) }
        if extra != Put() { row.extra = extra }
        try check(row)
        return row
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

    private var defaults: [Value] {
        table.columns.map { column in
            if case .attribute(let attribute) = column.kind { attribute.defaultValue ?? .null } else { .null }
        }
    }

    private func attributeIndex(_ property: PropertyID) -> Int? {
        table.columns.firstIndex { $0.property == property && $0.rule == nil }
    }

    private func referenceIndex(_ relationship: PropertyID) -> Int? {
        table.columns.firstIndex { $0.property == relationship && $0.rule != nil }
    }

    /// The same strictness as the visible table has, before the table is asked.
    private func check(_ row: Row) throws(Unfit) {
        for (column, value) in zip(table.columns, row.values) {
            switch column.kind {
            case .attribute(let attribute):
                if let reason = mismatch(value, attribute) {
                    throw Unfit(reason: "\(table.name) \"\(column.name)\" \(reason).")
                }
            case .reference(let rule, let isOptional):
                if value == .null, !isOptional, !rule.isMaskable {
                    throw Unfit(reason: "\(table.name) \"\(column.name)\" is nil, but required.")
                }
            }
        }
    }

    private func mismatch(_ value: Value, _ attribute: Attribute) -> String? {
        switch (value, attribute.kind) {
        case (.null, _): attribute.isOptional ? nil : "is nil, but required"
        case (.text, .string), (.integer, .integer), (.integer, .timestamp), (.real, .double), (.boolean, .boolean),
            (.bytes, .data):
            nil
        case (.text(let text), .date): PlainDate.isValid(text) ? nil : "is not a day that exists"
        case (.text(let text), .json): (try? JSONParser.parse(text, depthMax: 64)) == nil ? "is not JSON" : nil
        case (.bytes(let bytes), .uuid): bytes.count == 16 ? nil : "is not 16 bytes"
        default: "is not a \(attribute.kind.rawValue)"
        }
    }
}
