/// A bounds-checked reader of the fields of one Protocol Buffers message, without a schema.
///
/// Nothing is copied: returned values point into the given bytes, and must not outlive them.
package struct ProtobufReader {
    package enum Value {
        case varint(UInt64)
        case fixed64(UInt64)
        case fixed32(UInt32)
        case bytes(UnsafeRawBufferPointer)
    }

    private let bytes: UnsafeRawBufferPointer
    /// The number of bytes read, which is the offset of the next field.
    package private(set) var position = 0

    /// Whether a number in more bytes than it needs is malformed.
    private let isMinimal: Bool

    package init(_ bytes: UnsafeRawBufferPointer, isMinimal: Bool = false) {
        self.bytes = bytes
        self.isMinimal = isMinimal
    }

    /// Reads the next field; `nil` at the end.
    package mutating func next() throws(ContentError) -> (number: Int, value: Value)? {
        guard position < bytes.count else { return nil }
        let tag = try varint()
        guard let number = Int(exactly: tag >> 3), number > 0 else { throw .malformed }
        switch tag & 7 {
        case 0: return (number, .varint(try varint()))
        case 1: return (number, .fixed64(try fixed(UInt64.self)))
        case 2:
            guard let count = Int(exactly: try varint()), count <= bytes.count - position else { throw .malformed }
            defer { position += count }
            return (number, .bytes(UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])))
        case 5: return (number, .fixed32(try fixed(UInt32.self)))
        default: throw .malformed
        }
    }

    /// Reads a number. Tags, lengths and most numbers take one byte.
    @inline(__always)
    private mutating func varint() throws(ContentError) -> UInt64 {
        if position < bytes.count, bytes[position] < 0x80 {
            defer { position += 1 }
            return UInt64(bytes[position])
        }
        return try longVarint()
    }

    private mutating func longVarint() throws(ContentError) -> UInt64 {
        var result: UInt64 = 0
        var shift: UInt64 = 0
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            guard shift < 63 || byte <= 1 else { throw .malformed }
            result |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 {
                guard !isMinimal || byte != 0 || shift == 0 else { throw .malformed }
                return result
            }
            shift += 7
        }
        throw .malformed
    }

    private mutating func fixed<Number: FixedWidthInteger>(_: Number.Type) throws(ContentError) -> Number {
        let size = MemoryLayout<Number>.size
        guard bytes.count - position >= size else { throw .malformed }
        defer { position += size }
        return Number(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: Number.self))
    }
}

/// A value that is decoded from a Protocol Buffers message.
package protocol ProtobufDecodable {
    associatedtype DecodingFailure: Error

    /// Reads a message. The result does not refer to `bytes`.
    init(protobuf bytes: UnsafeRawBufferPointer) throws(DecodingFailure)
}

extension ProtobufDecodable {
    package init(protobuf bytes: [UInt8]) throws(DecodingFailure) {
        self = try bytes.withBytes { (bytes) throws(DecodingFailure) in try Self(protobuf: bytes) }
    }
}

extension [UInt8] {
    /// Calls `body` with the bytes, like the standard library's `withUnsafeBytes` with a typed error.
    package func withBytes<Result, Failure>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeBufferPointer { (bytes) throws(Failure) in try body(UnsafeRawBufferPointer(bytes)) }
    }
}
