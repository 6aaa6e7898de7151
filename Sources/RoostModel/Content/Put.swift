/// The content of one put: all references and all attributes of a record.
///
/// Its encoded form is the `Put` message of `roost.proto` in canonical form: references by relationship, fields by
/// property, nothing repeated, nothing empty. The canonical form is hashed, stored and sent.
public struct Put: Hashable, Sendable {
    /// A stored to-one relationship and the record that it refers to, whether that record is visible or not.
    public struct Reference: Hashable, Sendable {
        /// The number of the relationship in its entity.
        public var relationship: PropertyID
        /// The record referred to, of the relationship's destination.
        public var target: RecordID

        /// Makes a reference.
        public init(relationship: PropertyID, target: RecordID) {
            self.relationship = relationship
            self.target = target
        }
    }

    /// The references in ascending order of relationship, each at most once. A reference that is nil is left out.
    public var references: [Reference]
    /// The encoded attributes (``ContentCoding``), which are opaque to a server.
    public var content: [UInt8]

    /// Makes a put, empty by default.
    public init(references: [Reference] = [], content: [UInt8] = []) {
        self.references = references
        self.content = content
    }

    /// Encodes the put in its canonical form.
    package func encoded() -> [UInt8] {
        var writer = ProtobufWriter(capacity: references.count * 24 + content.count + 4)
        for reference in references { Self.write(reference, to: &writer) }
        if !content.isEmpty { writer.writeBytes(2, content) }
        return writer.bytes
    }

    /// Writes one reference. The caller writes references in ascending order of relationship, and before the attributes.
    package static func write(_ reference: Reference, to writer: inout ProtobufWriter) {
        writer.writeMessage(1) { inner in
            inner.writeVarint(1, UInt64(reference.relationship.rawValue))
            inner.writeID(2, reference.target)
        }
    }

    /// Decodes a put. Fields that this version does not know are skipped.
    ///
    /// - Throws: ``ContentError/malformed`` for bytes that are not a valid `Put` message.
    package init(encoded bytes: [UInt8]) throws(ContentError) {
        self = try bytes.withBytes { (bytes) throws(ContentError) in
            var put = Put()
            var reader = ProtobufReader(bytes)
            while let field = try reader.next() {
                switch (field.number, field.value) {
                case (1, .bytes(let bytes)): put.references.append(try Reference(encoded: bytes))
                case (2, .bytes(let bytes)): put.content = Array(bytes)
                default: break
                }
            }
            return put
        }
    }
}

extension Put.Reference {
    /// Decodes the `Reference` message of a put.
    package init(encoded bytes: UnsafeRawBufferPointer) throws(ContentError) {
        var reader = ProtobufReader(bytes)
        var relationship: UInt64 = 0
        var target: RecordID?
        while let field = try reader.next() {
            switch (field.number, field.value) {
            case (1, .varint(let number)): relationship = number
            case (2, .bytes(let bytes)): target = RecordID(bytes: bytes)
            default: break
            }
        }
        guard let target, let number = UInt32(exactly: relationship) else { throw .malformed }
        self.init(relationship: PropertyID(number), target: target)
    }
}

/// The reason why bytes could not be read as content.
package enum ContentError: Error, Hashable, Sendable {
    /// The bytes end too early, or do not have the expected form.
    case malformed
}
