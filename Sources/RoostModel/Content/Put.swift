/// The content of one put: all references and all attributes of a record.
///
/// Its encoded form is the `Put` message of `roost.proto`, written in one canonical way: references by relationship,
/// fields by property, nothing repeated, nothing empty. That form is what is hashed, stored and sent.
public struct Put: Hashable, Sendable {
    /// A stored to-one relationship: which one, and the record it names. Never shows what is visible now.
    public struct Reference: Hashable, Sendable {
        /// The number of the relationship in its entity.
        public var relationship: PropertyID
        /// The record that is named, of the relationship's destination.
        public var target: RecordID

        /// Makes a reference.
        public init(relationship: PropertyID, target: RecordID) {
            self.relationship = relationship
            self.target = target
        }
    }

    /// In ascending order of relationship, each at most once; a reference that is nil is left out.
    public var references: [Reference]
    /// The attributes, encoded (``ContentCoding``). Opaque to a server.
    public var content: [UInt8]

    /// Makes a put, empty unless something is given.
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

    /// Writes one reference; they come in ascending order of relationship, and before the attributes.
    package static func write(_ reference: Reference, to writer: inout ProtobufWriter) {
        writer.writeMessage(1) { inner in
            inner.writeVarint(1, UInt64(reference.relationship.rawValue))
            inner.writeID(2, reference.target)
        }
    }

    /// Decodes a put; fields that this version does not know are passed over.
    ///
    /// - Throws: ``ContentError/malformed`` for bytes that are no `Put` message.
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

/// Why bytes could not be read as content.
package enum ContentError: Error, Hashable, Sendable {
    /// The bytes end too early, or are not of the expected shape.
    case malformed
}
