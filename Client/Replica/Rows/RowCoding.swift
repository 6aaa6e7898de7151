internal import GRDB
internal import RoostModel

/// A put's content as a row of its entity's table, and back.
struct RowCoding {
    let table: EntityTable
    let database: Database

    /// What a put holds, sorted into the table's columns. It lies in the put's bytes.
    struct Row {
        /// What goes into one column.
        enum Cell {
            /// The put says nothing: an attribute's default, or nil.
            case absent
            case attribute(ContentReader.RawValue)
            case reference(RecordID)
        }

        /// One for each column of the table.
        var cells: [Cell]
        /// The references that the table has columns for, as stored.
        var references: [Put.Reference] = []
        /// What the schema does not know, to be passed on untouched: also a nil where it knows no default to tell it from. And what the
        /// put does not say.
        var extra: RowExtra?
    }

    /// Why a put cannot be shown.
    struct Unfit: Error {
        var reason: String

        init(reason: String) { self.reason = reason }

        init(unknown entity: EntityID) { reason = "The entity \(entity) is not in this replica's schema." }
    }

    /// Calls `body` with a put's content, which is copied nowhere and must not be kept.
    ///
    /// - Throws: ``Unfit``, and what `body` throws.
    func withRow<Result>(_ encoded: [UInt8], _ body: (Row) throws -> Result) throws -> Result {
        try encoded.withBytes { encoded in
            let row: Row
            do {
                row = try read(encoded)
            } catch {
                throw Unfit(reason: "The content is not a Put message.")
            }
            if let reason = mismatch(row) { throw Unfit(reason: reason) }
            return try body(row)
        }
    }

    private func read(_ encoded: UnsafeRawBufferPointer) throws(ContentError) -> Row {
        var row = Row(cells: Array(repeating: .absent, count: table.columns.count))
        var extra = RowExtra()
        var unknown: [ContentCoding.Field] = []
        var form = PutForm()
        var reader = ProtobufReader(encoded)
        while let part = try reader.next() {
            switch (part.number, part.value) {
            case (1, .bytes(let bytes)):
                let reference = try Put.Reference(encoded: bytes)
                form.take(reference, bytes)
                if let index = index(of: reference.relationship, isReference: true) {
                    row.cells[index] = .reference(reference.target)
                    row.references.append(reference)
                } else {
                    extra.put.references.append(reference)
                }
            case (2, .bytes(let bytes)):
                var fields = ContentReader(bytes)
                while let field = try fields.next() {
                    let index = index(of: field.property, isReference: false)
                    if let index, !isUnknownNil(field.value, at: index) {
                        row.cells[index] = .attribute(field.value)
                        if !givesAgain(field.value, at: index) { form.isRegular = false }
                    } else {
                        unknown.append(.init(property: field.property, value: field.value.value))
                    }
                }
                form.take(fields)
            default: break
            }
        }
        if !unknown.isEmpty { extra.put.content = ContentCoding.encode(unknown) }
        for (index, slot) in table.slots.enumerated() where slot.hasDefault {
            if case .absent = row.cells[index] { extra.absent.append(PropertyID(slot.property)) }
        }
        extra.isIrregular = !form.isRegular || form.count != encoded.count
        if !extra.isEmpty { row.extra = extra }
        return row
    }

    /// Whether a column gives a value again as it came.
    private func givesAgain(_ value: ContentReader.RawValue, at index: Int) -> Bool {
        let slot = table.slots[index]
        switch value {
        // SQLite has neither a negative zero nor what is no number.
        case .real(let number) where number == 0 && number.sign == .minus || number.isNaN: return false
        case .real(let number): return slot.widens == nil || table.narrowed(.real(number), at: index) == .real(number)
        case .integer(let number):
            return slot.widens != .boolean || table.narrowed(.integer(number), at: index) == .integer(number)
        default: return true
        }
    }

    /// Whether a nil is said that this version would not say: another one has a default, which a nil that is left out would be read as.
    private func isUnknownNil(_ value: ContentReader.RawValue, at index: Int) -> Bool {
        if case .null = value { !table.slots[index].hasDefault } else { false }
    }

    /// The place of a property's column.
    func index(of property: PropertyID, isReference: Bool) -> Int? {
        table.slots.firstIndex { $0.property == property.rawValue && $0.isReference == isReference }
    }

    /// Encodes the row that `query` stands on, its columns from `first` on.
    ///
    /// - Parameters:
    ///   - masked: Stored references whose column reads nil.
    ///   - extra: What the row does not hold.
    func encode(
        _ query: Query, from first: Int32, masked: [PropertyID: RecordID], extra: RowExtra?
    ) throws -> [UInt8] {
        guard let extra else { return encode(query, from: first, masked: masked) }
        var put = Put()
        var fields: [ContentCoding.Field] = []
        fields.reserveCapacity(table.slots.count)
        for (offset, slot) in table.slots.enumerated() {
            let index = first + Int32(offset)
            let property = PropertyID(slot.property)
            if slot.isReference {
                if let target = query.id(index) ?? masked[property] {
                    put.references.append(.init(relationship: property, target: target))
                }
            } else {
                var value = query.value(index, as: slot.kind)
                guard value != .null || slot.hasDefault else { continue }
                if extra.absent.contains(property), value == table.defaults[offset] { continue }
                if slot.widens != nil { value = table.narrowed(value, at: offset) }
                fields.append(.init(property: property, value: value))
            }
        }
        let known = Set(fields.map(\.property))
        // A nil of another version is over when the column has a value.
        let unknown = try ContentCoding.decode(extra.put.content).filter { !known.contains($0.property) }
        fields = (fields + unknown).sorted { $0.property < $1.property }
        put.references = (put.references + extra.put.references).sorted { $0.relationship < $1.relationship }
        put.content = ContentCoding.encode(fields)
        return put.encoded()
    }

    /// The same of a row that holds all, from where its columns lie: most rows.
    private func encode(_ query: Query, from first: Int32, masked: [PropertyID: RecordID]) -> [UInt8] {
        var writer = ProtobufWriter(capacity: 24 * table.slots.count)
        var isEmpty = true
        for (offset, slot) in table.slots.enumerated() {
            let index = first + Int32(offset)
            if slot.isReference {
                let property = PropertyID(slot.property)
                guard let target = query.id(index) ?? masked[property] else { continue }
                Put.write(.init(relationship: property, target: target), to: &writer)
            } else if slot.hasDefault || !query.isNull(index) {
                isEmpty = false
            }
        }
        guard !isEmpty else { return writer.bytes }
        writer.writeMessage(2) { content in
            for (offset, slot) in table.slots.enumerated() where !slot.isReference {
                write(query, first + Int32(offset), slot, offset, to: &content)
            }
        }
        return writer.bytes
    }

    /// Writes the attribute in a column; nothing where it is nil and has no default.
    private func write(
        _ query: Query, _ index: Int32, _ slot: EntityTable.Slot, _ offset: Int, to content: inout ProtobufWriter
    ) {
        let property = PropertyID(slot.property)
        if slot.widens != nil {
            let value = table.narrowed(query.value(index, as: slot.kind), at: offset)
            guard value != .null || slot.hasDefault else { return }
            return content.append(ContentCoding.encode([.init(property: property, value: value)]))
        }
        switch query.rawValue(index, as: slot.kind) {
        case .null where !slot.hasDefault: break
        case .text(let bytes) where !ContentReader.isUTF8(bytes):
            // Another program wrote it; it is sent as it is shown.
            content.append(ContentCoding.encode([.init(property: property, value: .text(query.text(index)))]))
        case let value: ContentCoding.write(property, value, to: &content)
        }
    }

    /// The same strictness as the visible table has, before the table is asked: why it would not take a row.
    private func mismatch(_ row: Row) -> String? {
        for (index, slot) in table.slots.enumerated() {
            let reason: String? =
                switch row.cells[index] {
                case .absent: slot.mayBeAbsent ? nil : "is nil, but required"
                case .attribute(let value): mismatch(value, slot)
                case .reference: nil
                }
            if let reason { return "\(table.name) \"\(table.columns[index].name)\" \(reason)." }
        }
        return nil
    }

    /// What the visible table takes: where the strict parser does not, SQLite is asked, which its author's table asked too.
    private func isJSON(_ text: String) -> Bool {
        if (try? JSONParser.parse(text, depthMax: 64)) != nil { return true }
        guard let query = try? database.query("SELECT json_valid(?)") else { return false }
        query.bind(1, text)
        return (try? query.first { $0.integer(0) == 1 }) == true
    }

    private func mismatch(_ value: ContentReader.RawValue, _ slot: EntityTable.Slot) -> String? {
        switch (value, slot.kind) {
        case (.null, _): slot.mayBeNull ? nil : "is nil, but required"
        case (.text, .string), (.integer, .integer), (.integer, .timestamp), (.real, .double), (.boolean, .boolean),
            (.bytes, .data):
            nil
        case (.boolean, .integer) where slot.widens == .boolean: nil
        case (.integer(let number), .double) where slot.widens == .integer:
            Attribute.wholeDoubles.contains(number) ? nil : "is a whole number that a double does not hold"
        case (.text(let text), .date): PlainDate.isValid(text) ? nil : "is not a day that exists"
        case (.text(let text), .json): isJSON(String(decoding: text, as: UTF8.self)) ? nil : "is not JSON"
        case (.bytes(let bytes), .uuid): bytes.count == 16 ? nil : "is not 16 bytes"
        default: "is not a \(slot.kind.rawValue)"
        }
    }
}
