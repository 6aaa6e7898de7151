internal import RoostModel

/// A put's content as a row of its entity's table, and back.
struct RowCoding {
    let table: EntityTable
    let slots: [EntityTable.Slot]

    /// What a put holds, sorted into the table's columns. It lies in the put's bytes.
    struct Row {
        /// What goes into one column.
        enum Cell: BitwiseCopyable {
            /// The put says nothing: an attribute's default, or nil.
            case absent
            case attribute(ContentReader.RawValue)
            case reference(RecordID)
        }

        /// One for each column of the table.
        var cells: UnsafeBufferPointer<Cell>
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

    init(_ table: EntityTable) {
        self.table = table
        slots = table.slots
    }

    /// For a thread beside the one that writes: what both would count the uses of is its own.
    init(copying table: EntityTable) {
        self.table = table
        slots = table.slots.map { $0 }
    }

    /// The references that the table has columns for, as stored.
    func references(of row: Row) -> [Put.Reference] {
        guard slots.contains(where: \.isReference) else { return [] }
        return slots.indices.compactMap { index in
            guard case .reference(let target) = row.cells[index] else { return nil }
            return Put.Reference(relationship: PropertyID(slots[index].property), target: target)
        }
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
        fields.reserveCapacity(slots.count)
        for (offset, slot) in slots.enumerated() {
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

    /// The references that a row shows.
    func references(in query: Query, from first: Int32) -> [Put.Reference] {
        var references: [Put.Reference] = []
        for (offset, slot) in slots.enumerated() where slot.isReference {
            guard let target = query.id(first + Int32(offset)) else { continue }
            references.append(Put.Reference(relationship: PropertyID(slot.property), target: target))
        }
        return references
    }

    /// The same of a row that holds all, from where its columns lie: most rows.
    private func encode(_ query: Query, from first: Int32, masked: [PropertyID: RecordID]) -> [UInt8] {
        var writer = ProtobufWriter(capacity: 24 * slots.count)
        var isEmpty = true
        for (offset, slot) in slots.enumerated() {
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
            for (offset, slot) in slots.enumerated() where !slot.isReference {
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
}
