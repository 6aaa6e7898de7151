/// The attributes of a put as bytes: the `Content` message of `roost.proto` in canonical form.
///
/// Fields stand in ascending order of property. An attribute that is nil is left out, unless it has a default: then it
/// is written as an explicit null, so that a reader does not put the default in its place.
public enum ContentCoding {
    /// One attribute's value under its stable number.
    public struct Field: Hashable, Sendable {
        public var property: PropertyID
        public var value: Value

        public init(property: PropertyID, value: Value) {
            self.property = property
            self.value = value
        }
    }

    /// Encodes fields, which the caller gives in ascending order of property.
    public static func encode(_ fields: [Field]) -> [UInt8] {
        var writer = ProtobufWriter(capacity: fields.count * 16)
        for field in fields {
            writer.writeMessage(1) { inner in
                inner.writeVarint(1, UInt64(field.property.rawValue))
                switch field.value {
                case .null: break
                case .text(let text): inner.writeBytes(2, text.utf8)
                case .integer(let number): inner.writeSigned(3, number)
                case .real(let number): inner.writeDouble(4, number)
                case .boolean(let flag): inner.writeVarint(5, flag ? 1 : 0)
                case .bytes(let bytes): inner.writeBytes(6, bytes)
                }
            }
        }
        return writer.bytes
    }

    /// Decodes fields in the order written.
    ///
    /// - Throws: ``ContentError/malformed`` for bytes that are no `Content` message, or text that is not UTF-8.
    package static func decode(_ bytes: [UInt8]) throws(ContentError) -> [Field] {
        var fields: [Field] = []
        fields.reserveCapacity(8)
        var reader = ProtobufReader(bytes[...])
        while let field = try reader.next() {
            guard field.number == 1, case .bytes(let slice) = field.value else { continue }
            fields.append(try self.field(slice))
        }
        return fields
    }

    private static func field(_ slice: ArraySlice<UInt8>) throws(ContentError) -> Field {
        var reader = ProtobufReader(slice)
        var property: UInt64 = 0
        var value = Value.null
        while let field = try reader.next() {
            switch (field.number, field.value) {
            case (1, .varint(let number)): property = number
            case (2, .bytes(let bytes)):
                guard let text = bytes.withUnsafeBufferPointer({ String(validating: $0, as: UTF8.self) }) else {
                    throw .malformed
                }
                value = .text(text)
            case (3, .varint(let number)):
                value = .integer(Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1))
            case (4, .fixed64(let bits)): value = .real(Double(bitPattern: bits))
            case (5, .varint(let number)): value = .boolean(number != 0)
            case (6, .bytes(let bytes)): value = .bytes(Array(bytes))
            default: break
            }
        }
        guard let number = UInt32(exactly: property) else { throw .malformed }
        return Field(property: PropertyID(number), value: value)
    }
}
