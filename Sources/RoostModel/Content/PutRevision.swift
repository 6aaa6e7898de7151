/// New values for some properties of a put, all other parts of which keep their bytes.
///
///     var revision = PutRevision()
///     revision.attributes[PropertyID(1)] = .string("Taxi")
///     let bytes = try revision.applied(to: put)
///
/// A revision keeps fields that this version does not know, in the put, in its content and next to a value. It also keeps
/// the order of fields, and numbers in longer encodings than they need.
package struct PutRevision: Hashable, Sendable {
    /// The new targets of references. A `nil` leaves the reference out.
    package var references: [PropertyID: RecordID?] = [:]
    /// The new values of attributes. A `nil` leaves the attribute out; `.null` is an explicit nil.
    package var attributes: [PropertyID: Value?] = [:]

    /// Makes a revision without new values.
    package init() {}

    /// Whether the put stays unchanged.
    package var isEmpty: Bool { references.isEmpty && attributes.isEmpty }

    /// Revises a put.
    ///
    /// - Returns: The bytes of the revised put. The result is canonical if the put is.
    /// - Throws: ``ContentError/malformed`` for bytes that are not a valid `Put` message.
    package func applied(to put: [UInt8]) throws(ContentError) -> [UInt8] {
        guard !isEmpty else { return put }
        return try put.withBytes { (put) throws(ContentError) in
            var pass = PutRevisionPass(self)
            return try pass.revise(put)
        }
    }
}

/// A pass over a put's bytes that writes the revised put.
private struct PutRevisionPass {
    private var writer = ProtobufWriter()
    private let revision: PutRevision
    /// The references to insert because the put does not have them, in ascending order; ``newAttributes`` likewise.
    private var newReferences: ArraySlice<Put.Reference> = []
    private var newAttributes: ArraySlice<ContentCoding.Field> = []
    /// The references that have replaced old ones; ``writtenAttributes`` likewise.
    private var writtenReferences: Set<PropertyID> = []
    private var writtenAttributes: Set<PropertyID> = []

    init(_ revision: PutRevision) { self.revision = revision }

    mutating func revise(_ put: UnsafeRawBufferPointer) throws(ContentError) -> [UInt8] {
        var contents = try findNew(in: put)
        var reader = ProtobufReader(put)
        var start = 0
        while let field = try reader.next() {
            let raw = put[start..<reader.position]
            start = reader.position
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): try reference(bytes, raw)
            case (2, .bytes(let bytes)):
                contents -= 1
                writeNewReferences(before: nil)
                try content(bytes, raw, isLast: contents == 0)
            default:
                // Unknown fields come after the known ones.
                if field.number > 2, contents == 0 { writeRest() }
                writer.append(raw)
            }
        }
        writeRest()
        return writer.bytes
    }

    /// Finds the new properties that the put does not have.
    ///
    /// - Returns: The number of content fields of the put.
    private mutating func findNew(in put: UnsafeRawBufferPointer) throws(ContentError) -> Int {
        var references = revision.references.compactMapValues(\.self)
        var attributes = revision.attributes.compactMapValues(\.self)
        var contents = 0
        var reader = ProtobufReader(put)
        while let field = try reader.next() {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): references[try Put.Reference(encoded: bytes).relationship] = nil
            case (2, .bytes(let bytes)):
                contents += 1
                var content = ContentReader(bytes)
                while let field = try content.next() { attributes[field.property] = nil }
            default: break
            }
        }
        newReferences =
            references.map { Put.Reference(relationship: $0, target: $1) }
            .sorted { $0.relationship < $1.relationship }[...]
        newAttributes =
            attributes.map { ContentCoding.Field(property: $0, value: $1) }
            .sorted { $0.property < $1.property }[...]
        return contents
    }

    // MARK: References

    private mutating func reference(
        _ bytes: UnsafeRawBufferPointer, _ raw: Slice<UnsafeRawBufferPointer>
    ) throws(ContentError) {
        let reference = try Put.Reference(encoded: bytes)
        writeNewReferences(before: reference.relationship)
        guard let revised = revision.references[reference.relationship] else { return writer.append(raw) }
        guard let target = revised, writtenReferences.insert(reference.relationship).inserted else { return }
        let others = try Self.others(than: [1, 2], in: bytes)
        writer.writeMessage(1) { inner in
            inner.writeVarint(1, UInt64(reference.relationship.rawValue))
            inner.writeID(2, target)
            inner.append(others)
        }
    }

    private mutating func writeNewReferences(before relationship: PropertyID?) {
        while let next = newReferences.first, relationship.map({ next.relationship < $0 }) ?? true {
            Put.write(next, to: &writer)
            newReferences.removeFirst()
        }
    }

    // MARK: Attributes

    private mutating func content(
        _ bytes: UnsafeRawBufferPointer, _ raw: Slice<UnsafeRawBufferPointer>, isLast: Bool
    ) throws(ContentError) {
        var inner = ProtobufWriter(capacity: bytes.count + 16)
        var reader = ProtobufReader(bytes)
        var start = 0
        while let field = try reader.next() {
            let raw = bytes[start..<reader.position]
            start = reader.position
            guard field.number == 1, case .bytes(let message) = field.value else {
                inner.append(raw)
                continue
            }
            let property = try Self.property(of: message)
            if isLast { writeNewAttributes(before: property, to: &inner) }
            if let revised = revision.attributes[property] {
                try attribute(property, revised, in: message, to: &inner)
            } else {
                inner.append(raw)
            }
        }
        if isLast { writeNewAttributes(before: nil, to: &inner) }
        // The canonical form has no empty content field. One that was empty before stays.
        if inner.bytes.count == bytes.count, inner.bytes.elementsEqual(bytes) {
            writer.append(raw)
        } else if !inner.bytes.isEmpty {
            writer.writeBytes(2, inner.bytes)
        }
    }

    private mutating func attribute(
        _ property: PropertyID, _ revised: Value?, in message: UnsafeRawBufferPointer, to inner: inout ProtobufWriter
    ) throws(ContentError) {
        guard let value = revised, writtenAttributes.insert(property).inserted else { return }
        let others = try Self.companions(in: message)
        guard value != .null, !others.isEmpty else {
            return inner.append(ContentCoding.encode([.init(property: property, value: value)]))
        }
        // The value comes last: of two values of a message the last one counts, and an unknown companion may be a value.
        let own = ContentCoding.valueBytes(value)
        inner.writeMessage(1) { field in
            field.writeVarint(1, UInt64(property.rawValue))
            field.append(others)
            field.append(own)
        }
    }

    private mutating func writeNewAttributes(before property: PropertyID?, to inner: inout ProtobufWriter) {
        while let next = newAttributes.first, property.map({ next.property < $0 }) ?? true {
            inner.append(ContentCoding.encode([next]))
            newAttributes.removeFirst()
        }
    }

    private mutating func writeRest() {
        writeNewReferences(before: nil)
        guard !newAttributes.isEmpty else { return }
        var inner = ProtobufWriter()
        writeNewAttributes(before: nil, to: &inner)
        writer.writeBytes(2, inner.bytes)
    }

    private static func property(of field: UnsafeRawBufferPointer) throws(ContentError) -> PropertyID {
        var property: UInt64 = 0
        var reader = ProtobufReader(field)
        while let part = try reader.next() {
            if part.number == 1, case .varint(let number) = part.value { property = number }
        }
        guard let number = UInt32(exactly: property) else { throw .malformed }
        return PropertyID(number)
    }

    /// Returns the fields of a `Field` message next to its number and its value. Without a value of a known form it returns
    /// none, because one of the fields may be the value.
    private static func companions(in field: UnsafeRawBufferPointer) throws(ContentError) -> [UInt8] {
        var hasValue = false
        var reader = ProtobufReader(field)
        while let part = try reader.next() {
            if case 2...6 = part.number { hasValue = true }
        }
        return hasValue ? try others(than: [1, 2, 3, 4, 5, 6], in: field) : []
    }

    /// Returns the fields of a message with other numbers, as encoded.
    private static func others(
        than numbers: [Int], in message: UnsafeRawBufferPointer
    ) throws(ContentError) -> [UInt8] {
        var others: [UInt8] = []
        var reader = ProtobufReader(message)
        var start = 0
        while let part = try reader.next() {
            if !numbers.contains(part.number) { others += message[start..<reader.position] }
            start = reader.position
        }
        return others
    }
}
