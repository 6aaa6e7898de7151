internal import RoostModel

/// Encoding of a row as a put.
extension RowCoding {
    /// A row's content as a put.
    struct Encoding {
        /// The put. In text that is not UTF-8, U+FFFD replaces the invalid bytes, as every reader of the row shows them.
        var bytes: [UInt8] = []
        /// The reason why the put cannot be sent: a value that another program wrote does not have its attribute's type. `nil`
        /// where the put can be sent.
        var fault: String?
    }

    /// Encodes the current row of `query`, whose columns start at `first`.
    ///
    /// - Parameters:
    ///   - masked: The stored references that are masked.
    ///   - extra: The part of the put that the row does not hold. Where it contains the whole put, only the attributes and
    ///     references whose columns differ from that put are written again.
    /// - Throws: ``ContentError`` where `extra` is corrupt.
    func encode(
        _ query: Query, from first: Int32, masked: [PropertyID: RecordID], extra: RowExtra?
    ) throws -> Encoding {
        guard let extra else { return encode(query, from: first, masked: masked) }
        guard let original = extra.original else {
            return try encode(query, from: first, masked: masked, joining: extra)
        }
        var fault: String?
        let bytes = try revision(of: original, to: query, from: first, masked: masked, &fault).applied(to: original)
        return Encoding(bytes: bytes, fault: fault)
    }

    // MARK: Rows that hold their whole put

    /// Encodes a row that holds its whole put, as most rows do, without copying the columns.
    private func encode(_ query: Query, from first: Int32, masked: [PropertyID: RecordID]) -> Encoding {
        var writer = ProtobufWriter(capacity: 24 * slots.count)
        var isEmpty = true
        var fault: String?
        for (offset, slot) in slots.enumerated() {
            let index = first + Int32(offset)
            if slot.isReference {
                let property = PropertyID(slot.property)
                guard let target = query.id(index) ?? masked[property] else {
                    if !query.isNull(index) { Self.note(misreference(query, index, offset), in: &fault) }
                    continue
                }
                Put.write(.init(relationship: property, target: target), to: &writer)
            } else if slot.hasDefault || !query.isNull(index) {
                isEmpty = false
            }
        }
        guard !isEmpty else { return Encoding(bytes: writer.bytes, fault: fault) }
        writer.writeMessage(2) { content in
            for (offset, slot) in slots.enumerated() where !slot.isReference {
                write(query, first + Int32(offset), slot, offset, to: &content, &fault)
            }
        }
        return Encoding(bytes: writer.bytes, fault: fault)
    }

    /// Writes the attribute in a column. Writes nothing where it is null and has no default.
    private func write(
        _ query: Query, _ index: Int32, _ slot: EntityTable.Slot, _ offset: Int, to content: inout ProtobufWriter,
        _ fault: inout String?
    ) {
        let property = PropertyID(slot.property)
        if slot.widens != nil {
            let value = table.narrowed(query.value(index, as: slot.kind), at: offset)
            guard value != .null || slot.hasDefault else { return }
            return content.append(ContentCoding.encode([.init(property: property, value: value)]))
        }
        let value = query.rawValue(index, as: slot.kind)
        if case .null = value {
            if slot.hasDefault { ContentCoding.write(property, value, to: &content) }
            return
        }
        if let found = self.fault(of: value, query, index, slot) {
            Self.note(describe(found, offset, query, index), in: &fault)
            if found == .notUTF8 {
                let text = Value.string(query.text(index))
                return content.append(ContentCoding.encode([.init(property: property, value: text)]))
            }
        }
        ContentCoding.write(property, value, to: &content)
    }

    // MARK: Faults

    /// Returns why a value in a column does not have its attribute's type; `nil` where it has. Tables refuse most such values,
    /// unless their checks are switched off.
    private func fault(
        of value: ContentReader.RawValue, _ query: Query, _ index: Int32, _ slot: EntityTable.Slot
    ) -> ValueFault? {
        // A Boolean column may hold any integer, and every integer other than 0 reads as true.
        if case .boolean = value, query.integer(index) & ~1 != 0 { return .form(slot.kind) }
        return slot.kind.fault(of: value)
    }

    /// Adds the fault of one more value, because the journal must report everything that the put lacks.
    private static func note(_ sentence: String, in fault: inout String?) {
        fault = fault.map { "\($0) \(sentence)" } ?? sentence
    }

    /// Describes a reference that is not 16 bytes, which the put lacks. Tables refuse it, unless their checks are switched off.
    private func misreference(_ query: Query, _ index: Int32, _ offset: Int) -> String {
        "\(table.name) \"\(table.columns[offset].name)\" is not an identifier of 16 bytes. SQL writes it so: \(query.blobLiteral(index))."
    }

    /// Describes a fault. The sentence contains what the put lacks: the bytes of a text that is not UTF-8, or the number in a
    /// Boolean column.
    private func describe(_ fault: ValueFault, _ offset: Int, _ query: Query, _ index: Int32) -> String {
        let sentence = "\(table.name) \"\(table.columns[offset].name)\" \(fault.reason)."
        if fault == .notUTF8 {
            return "\(sentence) SQL writes its bytes so: CAST(\(query.blobLiteral(index)) AS TEXT)."
        }
        return slots[offset].kind == .boolean ? "\(sentence) It is \(query.integer(index))." : sentence
    }

    // MARK: Rows with an extra

    private func encode(
        _ query: Query, from first: Int32, masked: [PropertyID: RecordID], joining extra: RowExtra
    ) throws -> Encoding {
        var put = Put()
        var fault: String?
        var fields: [ContentCoding.Field] = []
        fields.reserveCapacity(slots.count)
        for (offset, slot) in slots.enumerated() {
            let index = first + Int32(offset)
            let property = PropertyID(slot.property)
            if slot.isReference {
                if let target = query.id(index) ?? masked[property] {
                    put.references.append(.init(relationship: property, target: target))
                } else if !query.isNull(index) {
                    Self.note(misreference(query, index, offset), in: &fault)
                }
            } else {
                let value = query.value(index, as: slot.kind)
                guard value != .null || slot.hasDefault else { continue }
                if extra.absent.contains(property), value == table.defaults[offset].asStored { continue }
                fields.append(.init(property: property, value: checked(value, query, index, offset, &fault)))
            }
        }
        let known = Set(fields.map(\.property))
        // A nil of another version of the schema ends when the column has a value.
        let unknown = try ContentCoding.decode(extra.put.content).filter { !known.contains($0.property) }
        fields = (fields + unknown).sorted { $0.property < $1.property }
        put.references = (put.references + extra.put.references).sorted { $0.relationship < $1.relationship }
        put.content = ContentCoding.encode(fields)
        return Encoding(bytes: put.encoded(), fault: fault)
    }

    /// Converts a column's value to the form in which it is sent, and adds a fault where it cannot be sent.
    private func checked(
        _ value: Value, _ query: Query, _ index: Int32, _ offset: Int, _ fault: inout String?
    ) -> Value {
        let slot = slots[offset]
        guard value != .null else { return value }
        if slot.widens != nil { return table.narrowed(value, at: offset) }
        let raw = query.rawValue(index, as: slot.kind)
        if let found = self.fault(of: raw, query, index, slot) {
            Self.note(describe(found, offset, query, index), in: &fault)
        }
        return value
    }

    /// Finds the properties whose columns differ from the values of a put.
    private func revision(
        of original: [UInt8], to query: Query, from first: Int32, masked: [PropertyID: RecordID],
        _ fault: inout String?
    ) throws -> PutRevision {
        try original.withBytes { original in
            try withUnsafeTemporaryAllocation(of: Row.Cell.self, capacity: slots.count) { cells in
                _ = try sort(original, into: cells)
                var revision = PutRevision()
                for (offset, slot) in slots.enumerated() {
                    let index = first + Int32(offset)
                    let property = PropertyID(slot.property)
                    if slot.isReference {
                        let target = query.id(index) ?? masked[property]
                        if target == nil, !query.isNull(index) {
                            Self.note(misreference(query, index, offset), in: &fault)
                        }
                        if target != cells[offset].target {
                            revision.references.updateValue(target, forKey: property)
                        }
                    } else {
                        let value = query.value(index, as: slot.kind)
                        guard value != shown(cells[offset], at: offset) else { continue }
                        let travelling = checked(value, query, index, offset, &fault)
                        revision.attributes.updateValue(
                            travelling == .null && !slot.hasDefault ? nil : travelling, forKey: property)
                    }
                }
                return revision
            }
        }
    }

    /// Returns the value that a column holds for a cell of a put.
    private func shown(_ cell: Row.Cell, at offset: Int) -> Value {
        switch cell {
        case .absent: table.defaults[offset].asStored
        case .attribute(let value): table.widened(value.value, at: offset).asStored
        case .reference(let target): .data(target.bytes)
        }
    }
}

extension RowCoding.Row.Cell {
    /// The target of a reference; `nil` for any other cell.
    fileprivate var target: RecordID? { if case .reference(let target) = self { target } else { nil } }
}

extension EntityTable {
    /// Converts a value that may have arrived in the form of an earlier type to the column's type.
    fileprivate func widened(_ value: Value, at index: Int) -> Value {
        guard slots[index].widens != nil, case .attribute(let attribute) = columns[index].kind else { return value }
        return attribute.widened(value)
    }
}
