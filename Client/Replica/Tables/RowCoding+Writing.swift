internal import RoostModel

/// Writing a row as a put.
extension RowCoding {
    /// A row's content as a put.
    struct Encoding {
        /// The put. Text that is not UTF-8 has U+FFFD in place of what is none, as every reader of the row shows it.
        var bytes: [UInt8] = []
        /// Why the put cannot be sent: a value that another program wrote is none of its attribute's type. `nil` where it can be sent.
        var fault: String?
    }

    /// Encodes the row that `query` stands on, its columns from `first` on.
    ///
    /// - Parameters:
    ///   - masked: Stored references whose column reads nil.
    ///   - extra: What the row does not hold. Where it has the whole put, only the attributes and references whose columns differ from what
    ///     that put reads as are written anew.
    /// - Throws: ``ContentError`` where `extra` is damaged.
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

    // MARK: Rows that hold all

    /// Encodes a row that holds all of its put, from where its columns lie: most rows.
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

    /// Writes the attribute in a column; nothing where it is nil and has no default.
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
                let text = Value.text(query.text(index))
                return content.append(ContentCoding.encode([.init(property: property, value: text)]))
            }
        }
        ContentCoding.write(property, value, to: &content)
    }

    // MARK: Faults

    /// Why a value in a column is none of its attribute's type. Tables refuse most of that, unless their checks are switched off.
    private func fault(
        of value: ContentReader.RawValue, _ query: Query, _ index: Int32, _ slot: EntityTable.Slot
    ) -> ValueFault? {
        // A column of truth may hold any whole number, and one other than 0 reads as true.
        if case .boolean = value, query.integer(index) & ~1 != 0 { return .form(slot.kind) }
        return slot.kind.fault(of: value)
    }

    /// Adds why one more value is none of its attribute's type: the journal is to say all that the put does not have.
    private static func note(_ sentence: String, in fault: inout String?) {
        fault = fault.map { "\($0) \(sentence)" } ?? sentence
    }

    /// Why a reference is none: tables take 16 bytes only, unless their checks are switched off. The put does not have it.
    private func misreference(_ query: Query, _ index: Int32, _ offset: Int) -> String {
        "\(table.name) \"\(table.columns[offset].name)\" is not an identifier of 16 bytes. SQL writes it so: \(query.blobLiteral(index))."
    }

    /// With the bytes of a text that is not UTF-8, and the number in place of a boolean: the put does not have them.
    private func describe(_ fault: ValueFault, _ offset: Int, _ query: Query, _ index: Int32) -> String {
        let sentence = "\(table.name) \"\(table.columns[offset].name)\" \(fault.reason)."
        if fault == .notUTF8 {
            return "\(sentence) SQL writes its bytes so: CAST(\(query.blobLiteral(index)) AS TEXT)."
        }
        return slots[offset].kind == .boolean ? "\(sentence) It is \(query.integer(index))." : sentence
    }

    // MARK: Rows with more beside them

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
        // A nil of another version is over when the column has a value.
        let unknown = try ContentCoding.decode(extra.put.content).filter { !known.contains($0.property) }
        fields = (fields + unknown).sorted { $0.property < $1.property }
        put.references = (put.references + extra.put.references).sorted { $0.relationship < $1.relationship }
        put.content = ContentCoding.encode(fields)
        return Encoding(bytes: put.encoded(), fault: fault)
    }

    /// A column's value in the form in which it travels; notes why it cannot.
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

    /// Finds the properties whose columns differ from what a put reads as.
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

    /// The value that a column holds of what a put says.
    private func shown(_ cell: Row.Cell, at offset: Int) -> Value {
        switch cell {
        case .absent: table.defaults[offset].asStored
        case .attribute(let value): table.widened(value.value, at: offset).asStored
        case .reference(let target): .bytes(target.bytes)
        }
    }
}

extension RowCoding.Row.Cell {
    /// The record that a reference names.
    fileprivate var target: RecordID? { if case .reference(let target) = self { target } else { nil } }
}

extension EntityTable {
    /// The value of a column's type that may have travelled in the form of an earlier one.
    fileprivate func widened(_ value: Value, at index: Int) -> Value {
        guard slots[index].widens != nil, case .attribute(let attribute) = columns[index].kind else { return value }
        return attribute.widened(value)
    }
}
