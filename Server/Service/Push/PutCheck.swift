internal import RoostModel
internal import RoostProtocol

/// The check of the form of a put's bytes, against the canonical form of protocol.md §5.3, rules 1 to 4.
///
/// Values are not checked. Unknown fields may follow the known ones in every message.
enum PutCheck {
    /// The strictness of the check.
    enum Form {
        /// The form that clients have to write.
        case canonical
        /// The form that earlier servers accepted: readable, properties in ascending order. For puts that are already
        /// stored elsewhere, and have a hash.
        case readable
    }

    /// Returns the reason why a put cannot be stored, or `nil`.
    static func refusal(
        of put: [UInt8], limits: Limits, form: Form = .canonical
    ) -> (code: ErrorCode, reason: String)? {
        guard put.count <= limits.putBytesMax else {
            return (.tooLarge, "the put has \(put.count) bytes, the limit is \(limits.putBytesMax)")
        }
        do {
            let properties = try put.withBytes { (put) throws(ContentError) in
                try PutShape(isCanonical: form == .canonical).properties(of: put)
            }
            guard properties <= limits.propertiesPerRecordMax else {
                return (
                    .malformedPut, "the put has \(properties) properties, the limit is \(limits.propertiesPerRecordMax)"
                )
            }
            return nil
        } catch {
            return (.malformedPut, "its bytes are no Put message in canonical form")
        }
    }
}

/// A reader of the nested messages of a put. Each method throws for bytes that are not in the required form.
private struct PutShape {
    let isCanonical: Bool

    /// Counts references and attributes; both must be in strictly ascending order.
    func properties(of put: UnsafeRawBufferPointer) throws(ContentError) -> Int {
        var count = 0
        var lastReference: UInt64 = 0
        var contents = 0
        var order = FieldOrder(isChecked: isCanonical, knownMax: 2, repeating: 1)
        var reader = ProtobufReader(put, isMinimal: isCanonical)
        while let field = try reader.next() {
            try order.follow(field.number)
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)):
                let relationship = try reference(bytes)
                guard relationship > lastReference else { throw .malformed }
                lastReference = relationship
                count += 1
            case (2, .bytes(let bytes)):
                guard !isCanonical || !bytes.isEmpty else { throw .malformed }
                contents += 1
                count += try attributes(bytes)
            case (1, _), (2, _): throw .malformed
            default: break
            }
        }
        guard contents <= 1 else { throw .malformed }
        return count
    }

    private func reference(_ bytes: UnsafeRawBufferPointer) throws(ContentError) -> UInt64 {
        var relationship: UInt64 = 0
        var hasTarget = false
        var order = FieldOrder(isChecked: isCanonical, knownMax: 2)
        var reader = ProtobufReader(bytes, isMinimal: isCanonical)
        while let field = try reader.next() {
            try order.follow(field.number)
            switch (field.number, field.value) {
            case (1, .varint(let number)): relationship = number
            case (2, .bytes(let target)): hasTarget = target.count == 16
            case (1, _), (2, _): if isCanonical { throw .malformed }
            default: break
            }
        }
        guard hasTarget, UInt32(exactly: relationship) != nil else { throw .malformed }
        return relationship
    }

    private func attributes(_ content: UnsafeRawBufferPointer) throws(ContentError) -> Int {
        var count = 0
        var last: UInt64 = 0
        var order = FieldOrder(isChecked: isCanonical, knownMax: 1, repeating: 1)
        var reader = ProtobufReader(content, isMinimal: isCanonical)
        while let field = try reader.next() {
            try order.follow(field.number)
            guard field.number == 1 else { continue }
            guard case .bytes(let bytes) = field.value else { throw .malformed }
            last = try attribute(bytes, after: last)
            count += 1
        }
        return count
    }

    /// Checks one attribute.
    ///
    /// - Returns: The number of the property.
    private func attribute(_ bytes: UnsafeRawBufferPointer, after last: UInt64) throws(ContentError) -> UInt64 {
        var reader = ProtobufReader(bytes, isMinimal: isCanonical)
        guard let first = try reader.next(), first.number == 1, case .varint(let property) = first.value,
            property > last, UInt32(exactly: property) != nil
        else { throw .malformed }
        var order = FieldOrder(isChecked: isCanonical, knownMax: 6)
        try order.follow(1)
        var hasValue = false
        while let field = try reader.next() {
            try order.follow(field.number)
            guard isCanonical, 2...6 ~= field.number else { continue }
            guard !hasValue else { throw .malformed }
            hasValue = true
            switch (field.number, field.value) {
            case (2, .bytes), (3, .varint), (4, .fixed64), (5, .varint), (6, .bytes): break
            default: throw .malformed
            }
        }
        return property
    }
}

/// The order of the fields of one message: ascending numbers. A known field may be repeated only where the message allows
/// it. An unknown field may always be repeated.
private struct FieldOrder {
    let isChecked: Bool
    /// The greatest field number of the message in this version.
    let knownMax: Int
    /// The number of the field that may be repeated; 0 for none.
    let repeating: Int
    private var last = 0

    init(isChecked: Bool, knownMax: Int, repeating: Int = 0) {
        self.isChecked = isChecked
        self.knownMax = knownMax
        self.repeating = repeating
    }

    mutating func follow(_ number: Int) throws(ContentError) {
        guard isChecked else { return }
        guard number > last || number == last && (number == repeating || number > knownMax) else {
            throw .malformed
        }
        last = number
    }
}
