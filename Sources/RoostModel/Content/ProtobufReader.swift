/// Reads the fields of one Protocol Buffers message, bounds-checked, without a schema.
package struct ProtobufReader {
    package enum Value {
        case varint(UInt64)
        case fixed64(UInt64)
        case fixed32(UInt32)
        case bytes(ArraySlice<UInt8>)
    }

    private let bytes: ArraySlice<UInt8>
    private var position: Int

    package init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    /// The next field, or `nil` at the end.
    package mutating func next() throws(ContentError) -> (number: Int, value: Value)? {
        guard position < bytes.endIndex else { return nil }
        let tag = try varint()
        guard let number = Int(exactly: tag >> 3), number > 0 else { throw .malformed }
        switch tag & 7 {
        case 0: return (number, .varint(try varint()))
        case 1: return (number, .fixed64(try fixed(8)))
        case 2:
            guard let count = Int(exactly: try varint()), count <= bytes.endIndex - position else { throw .malformed }
            defer { position += count }
            return (number, .bytes(bytes[position..<position + count]))
        case 5: return (number, .fixed32(UInt32(truncatingIfNeeded: try fixed(4))))
        default: throw .malformed
        }
    }

    private mutating func varint() throws(ContentError) -> UInt64 {
        var result: UInt64 = 0
        var shift: UInt64 = 0
        while position < bytes.endIndex {
            let byte = bytes[position]
            position += 1
            guard shift < 63 || byte <= 1 else { throw .malformed }
            result |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return result }
            shift += 7
        }
        throw .malformed
    }

    private mutating func fixed(_ count: Int) throws(ContentError) -> UInt64 {
        guard bytes.endIndex - position >= count else { throw .malformed }
        var result: UInt64 = 0
        for index in 0..<count { result |= UInt64(bytes[position + index]) << UInt64(8 * index) }
        position += count
        return result
    }
}
