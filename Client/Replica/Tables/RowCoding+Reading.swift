internal import RoostModel

/// Reading a put's content: what it says and the table's columns are all that it takes, so that any thread may.
extension RowCoding {
    /// Calls `body` with a put's content, which is copied nowhere and must not be kept.
    ///
    /// - Throws: ``Unfit``, and what `body` throws.
    func withRow<Result>(_ encoded: [UInt8], _ body: (Row) throws -> Result) throws -> Result {
        try encoded.withBytes { encoded in
            try withUnsafeTemporaryAllocation(of: Row.Cell.self, capacity: slots.count) { cells in
                try body(read(encoded, into: cells))
            }
        }
    }

    /// Reads a put's content.
    ///
    /// - Parameter cells: Room for as many as the table has columns.
    /// - Returns: A row whose values lie in `encoded`, and itself in `cells`.
    func read(
        _ encoded: UnsafeRawBufferPointer, into cells: UnsafeMutableBufferPointer<Row.Cell>
    ) throws(Unfit) -> Row {
        let extra: RowExtra?
        do {
            extra = try sort(encoded, into: cells)
        } catch {
            throw Unfit(reason: "The content is not a Put message.")
        }
        if let reason = mismatch(cells) { throw Unfit(reason: reason) }
        return Row(cells: UnsafeBufferPointer(cells), extra: extra)
    }

    /// Sorts what a put says into cells, without a look at whether the table takes it.
    ///
    /// - Returns: What the columns do not hold.
    func sort(
        _ encoded: UnsafeRawBufferPointer, into cells: UnsafeMutableBufferPointer<Row.Cell>
    ) throws(ContentError) -> RowExtra? {
        cells.initialize(repeating: .absent)
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
                    cells[index] = .reference(reference.target)
                } else {
                    extra.put.references.append(reference)
                }
            case (2, .bytes(let bytes)):
                var fields = ContentReader(bytes)
                while let field = try fields.next() {
                    let index = index(of: field.property, isReference: false)
                    if let index, !isUnknownNil(field.value, at: index) {
                        cells[index] = .attribute(field.value)
                        if !givesAgain(field.value, at: index) { form.isRegular = false }
                    } else {
                        unknown.append(.init(property: field.property, value: field.value.value))
                    }
                }
                form.take(fields)
            default: break
            }
        }
        guard form.isRegular, form.count == encoded.count else { return RowExtra(original: Array(encoded)) }
        if !unknown.isEmpty { extra.put.content = ContentCoding.encode(unknown) }
        for (index, slot) in slots.enumerated() where slot.hasDefault {
            if case .absent = cells[index] { extra.absent.append(PropertyID(slot.property)) }
        }
        return extra.isEmpty ? nil : extra
    }

    /// Whether a column gives a value again as it came.
    private func givesAgain(_ value: ContentReader.RawValue, at index: Int) -> Bool {
        let slot = slots[index]
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
        if case .null = value { !slots[index].hasDefault } else { false }
    }

    /// The place of a property's column.
    private func index(of property: PropertyID, isReference: Bool) -> Int? {
        slots.firstIndex { $0.property == property.rawValue && $0.isReference == isReference }
    }

    /// The same strictness as the visible table has, before the table is asked: why it would not take a row.
    private func mismatch(_ cells: UnsafeMutableBufferPointer<Row.Cell>) -> String? {
        for (index, slot) in slots.enumerated() {
            let reason: String? =
                switch cells[index] {
                case .absent: slot.mayBeAbsent ? nil : "is nil, but required"
                case .attribute(let value): mismatch(value, slot)
                case .reference: nil
                }
            if let reason { return "\(table.name) \"\(table.columns[index].name)\" \(reason)." }
        }
        return nil
    }

    private func mismatch(_ value: ContentReader.RawValue, _ slot: EntityTable.Slot) -> String? {
        switch (value, slot.kind) {
        case (.null, _): slot.mayBeNull ? nil : "is nil, but required"
        case (.text, .string), (.integer, .integer), (.integer, .timestamp), (.boolean, .boolean), (.bytes, .data): nil
        // SQLite stores what is not a number as nil.
        case (.real(let number), .double): number.isNaN && !slot.mayBeNull ? "is not a number, but required" : nil
        case (.boolean, .integer) where slot.widens == .boolean: nil
        case (.integer(let number), .double) where slot.widens == .integer:
            Attribute.wholeDoubles.contains(number) ? nil : "is a whole number that a double does not hold"
        default: slot.kind.faultInPut(value)?.reason
        }
    }
}
