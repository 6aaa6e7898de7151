internal import RoostModel

/// Reading of a put's content. It needs nothing but the put and the table's columns, so that any thread may do it.
extension RowCoding {
    /// Calls `body` with a put's content, which is not copied and must not be kept.
    ///
    /// - Throws: ``Unfit``, and any error of `body`.
    func withRow<Result>(_ encoded: [UInt8], _ body: (Row) throws -> Result) throws -> Result {
        try encoded.withBytes { encoded in
            try withUnsafeTemporaryAllocation(of: Row.Cell.self, capacity: slots.count) { cells in
                try body(read(encoded, into: cells))
            }
        }
    }

    /// Reads a put's content.
    ///
    /// - Parameter cells: Memory for one cell for each column of the table.
    /// - Returns: A row that is stored in `cells` and whose values point into `encoded`.
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

    /// Sorts a put's content into cells, without checking that the table accepts it.
    ///
    /// - Returns: The part that the columns do not hold.
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
                form.add(reference, bytes)
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
                form.add(fields)
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

    /// Whether a column returns a value exactly as it arrived.
    private func givesAgain(_ value: ContentReader.RawValue, at index: Int) -> Bool {
        let slot = slots[index]
        switch value {
        // SQLite stores neither a negative zero nor NaN.
        case .real(let number) where number == 0 && number.sign == .minus || number.isNaN: return false
        case .real(let number):
            return slot.widens == nil || table.narrowed(.double(number), at: index) == .double(number)
        case .integer(let number):
            return slot.widens != .boolean || table.narrowed(.integer(number), at: index) == .integer(number)
        default: return true
        }
    }

    /// Whether a put contains an explicit nil that this version of the schema would omit. Another version has a default, and
    /// would read an omitted nil as that default.
    private func isUnknownNil(_ value: ContentReader.RawValue, at index: Int) -> Bool {
        if case .null = value { !slots[index].hasDefault } else { false }
    }

    /// Returns the index of a property's column.
    private func index(of property: PropertyID, isReference: Bool) -> Int? {
        slots.firstIndex { $0.property == property.rawValue && $0.isReference == isReference }
    }

    /// Returns why the visible table would refuse a row, without asking the table; `nil` where it would not.
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
        // SQLite stores NaN as null.
        case (.real(let number), .double): number.isNaN && !slot.mayBeNull ? "is not a number, but required" : nil
        case (.boolean, .integer) where slot.widens == .boolean: nil
        case (.integer(let number), .double) where slot.widens == .integer:
            Attribute.wholeDoubles.contains(number) ? nil : "is a whole number that a double does not hold"
        default: slot.kind.faultInPut(value)?.reason
        }
    }
}
