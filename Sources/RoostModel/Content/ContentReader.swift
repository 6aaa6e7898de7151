/// A reader of the attributes of a put, one by one. Nothing is copied: values point into the given bytes.
package struct ContentReader {
    /// The value of an attribute, as a pointer into the given bytes.
    package enum RawValue: BitwiseCopyable {
        case null
        /// Text in UTF-8.
        case text(UnsafeRawBufferPointer)
        /// Text that is not UTF-8.
        case malformedText(UnsafeRawBufferPointer)
        case integer(Int64)
        case real(Double)
        case boolean(Bool)
        case bytes(UnsafeRawBufferPointer)
        /// The 16 bytes of a UUID that a file stores in another form (``IdentifierForm``).
        case identifier(RecordID)
    }

    private var reader: ProtobufReader
    /// Whether all fields read so far are in the canonical form of protocol.md §5.3, so that encoding their values
    /// reproduces the bytes.
    package private(set) var isCanonical = true
    /// The number of bytes of the canonical form of the fields read so far.
    package private(set) var canonicalCount = 0
    private var last: UInt64 = 0

    /// Makes a reader.
    ///
    /// - Parameter bytes: A `Content` message.
    package init(_ bytes: UnsafeRawBufferPointer) {
        reader = ProtobufReader(bytes)
    }

    /// Reads the next attribute in the order written; `nil` at the end.
    ///
    /// - Throws: ``ContentError/malformed`` for bytes that are not a valid `Content` message.
    package mutating func next() throws(ContentError) -> (property: PropertyID, value: RawValue)? {
        while let field = try reader.next() {
            if field.number == 1, case .bytes(let bytes) = field.value { return try self.field(bytes) }
        }
        return nil
    }

    private mutating func field(
        _ bytes: UnsafeRawBufferPointer
    ) throws(ContentError) -> (property: PropertyID, value: RawValue) {
        var reader = ProtobufReader(bytes)
        var property: UInt64 = 0
        var value = RawValue.null
        // The canonical size of the value with its tag.
        var count = 0
        while let field = try reader.next() {
            switch (field.number, field.value) {
            case (1, .varint(let number)): property = number
            case (2, .bytes(let bytes)):
                value = .text(bytes)
                if !Self.isUTF8(bytes) {
                    value = .malformedText(bytes)
                    isCanonical = false
                }
                count = 1 + ProtobufWriter.count(bytes: bytes.count)
            case (3, .varint(let number)):
                value = .integer(Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1))
                count = 1 + ProtobufWriter.count(varint: number)
            case (4, .fixed64(let bits)):
                value = .real(Double(bitPattern: bits))
                count = 9
            case (5, .varint(let number)):
                value = .boolean(number != 0)
                count = 2
                if number > 1 { isCanonical = false }
            case (6, .bytes(let bytes)):
                value = .bytes(bytes)
                count = 1 + ProtobufWriter.count(bytes: bytes.count)
            default: break
            }
        }
        guard let number = UInt32(exactly: property) else { throw .malformed }
        // Longer encodings, repeated parts and unknown parts make the message longer than its canonical form. Only a wrong
        // order does not change its size.
        let canonical = 1 + ProtobufWriter.count(varint: property) + count
        if canonical != bytes.count || bytes.first != 0x08 || property <= last { isCanonical = false }
        last = property
        canonicalCount += 1 + ProtobufWriter.count(bytes: canonical)
        return (PropertyID(number), value)
    }

    /// Whether bytes are UTF-8.
    package static func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.withMemoryRebound(to: UInt8.self) { bytes in
            do {
                _ = try UTF8Span(validating: bytes.span)
                return true
            } catch {
                return false
            }
        }
    }
}

extension ContentReader.RawValue {
    /// A copy of the value. In text that is not UTF-8, U+FFFD replaces the invalid parts, equally on every device.
    package var value: Value {
        switch self {
        case .null: .null
        case .text(let bytes), .malformedText(let bytes): .string(String(decoding: bytes, as: UTF8.self))
        case .integer(let number): .integer(number)
        case .real(let number): .double(number)
        case .boolean(let flag): .boolean(flag)
        case .bytes(let bytes): .data(Array(bytes))
        case .identifier(let id): .data(id.bytes)
        }
    }
}
