/// The attributes of a put as bytes: the `Content` message of `roost.proto` in canonical form.
///
/// Fields are written in ascending order of property. An attribute that is nil is left out, unless it has a default. Then
/// it is written as an explicit null, so that a reader does not apply the default.
public enum ContentCoding {
    /// One attribute's value under its stable number.
    public struct Field: Hashable, Sendable {
        /// The number of the attribute in its entity.
        public var property: PropertyID
        /// The value, in the form of the attribute's type.
        public var value: Value

        /// Makes a field.
        public init(property: PropertyID, value: Value) {
            self.property = property
            self.value = value
        }
    }

    /// Encodes fields, which the caller gives in ascending order of property.
    public static func encode(_ fields: [Field]) -> [UInt8] {
        var writer = ProtobufWriter(capacity: fields.count * 16)
        for field in fields {
            switch field.value {
            case .null: write(field.property, .null, to: &writer)
            case .string(var text): text.withUTF8 { write(field.property, .text(.init($0)), to: &writer) }
            case .integer(let number): write(field.property, .integer(number), to: &writer)
            case .double(let number): write(field.property, .real(number), to: &writer)
            case .boolean(let flag): write(field.property, .boolean(flag), to: &writer)
            case .data(let bytes): bytes.withUnsafeBytes { write(field.property, .bytes($0), to: &writer) }
            }
        }
        return writer.bytes
    }

    /// Writes one field. The caller writes fields in ascending order of property.
    package static func write(
        _ property: PropertyID, _ value: ContentReader.RawValue, to writer: inout ProtobufWriter
    ) {
        writer.writeMessage(1) { inner in
            inner.writeVarint(1, UInt64(property.rawValue))
            switch value {
            case .null: break
            case .text(let text), .malformedText(let text): inner.writeBytes(2, text)
            case .integer(let number): inner.writeSigned(3, number)
            case .real(let number): inner.writeDouble(4, number)
            case .boolean(let flag): inner.writeVarint(5, flag ? 1 : 0)
            case .bytes(let bytes): inner.writeBytes(6, bytes)
            case .identifier(let id): inner.writeID(6, id)
            }
        }
    }

    /// Encodes the value part of a `Field` message; empty for a nil.
    static func valueBytes(_ value: Value) -> [UInt8] {
        var writer = ProtobufWriter()
        switch value {
        case .null: break
        case .string(let text): writer.writeBytes(2, text.utf8)
        case .integer(let number): writer.writeSigned(3, number)
        case .double(let number): writer.writeDouble(4, number)
        case .boolean(let flag): writer.writeVarint(5, flag ? 1 : 0)
        case .data(let bytes): writer.writeBytes(6, bytes)
        }
        return writer.bytes
    }

    /// Decodes fields in the order written. In text that is not UTF-8, U+FFFD replaces the invalid parts.
    ///
    /// - Throws: ``ContentError/malformed`` for bytes that are not a valid `Content` message.
    package static func decode(_ bytes: [UInt8]) throws(ContentError) -> [Field] {
        try bytes.withBytes { (bytes) throws(ContentError) in
            var fields: [Field] = []
            fields.reserveCapacity(8)
            var reader = ContentReader(bytes)
            while let field = try reader.next() {
                fields.append(Field(property: field.property, value: field.value.value))
            }
            return fields
        }
    }
}
