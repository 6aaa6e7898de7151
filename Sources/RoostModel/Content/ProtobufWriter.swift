/// A writer of the fields of Protocol Buffers messages.
package struct ProtobufWriter {
    package private(set) var bytes: [UInt8] = []

    package init(capacity: Int = 0) {
        bytes.reserveCapacity(capacity)
    }

    package mutating func writeVarint(_ number: Int, _ value: UInt64) {
        varint(UInt64(number) << 3)
        varint(value)
    }

    /// Writes a `sint64`, in which small numbers of either sign are short.
    package mutating func writeSigned(_ number: Int, _ value: Int64) {
        writeVarint(number, UInt64(bitPattern: value << 1) ^ UInt64(bitPattern: value >> 63))
    }

    package mutating func writeDouble(_ number: Int, _ value: Double) {
        varint(UInt64(number) << 3 | 1)
        Swift.withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
    }

    package mutating func writeBytes(_ number: Int, _ value: some Collection<UInt8>) {
        varint(UInt64(number) << 3 | 2)
        varint(UInt64(value.count))
        append(value)
    }

    /// Writes a bytes field from memory. Other modules call it without the cost of unspecialised generic code.
    package mutating func writeBytes(_ number: Int, _ value: UnsafeRawBufferPointer) {
        varint(UInt64(number) << 3 | 2)
        varint(UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    /// Writes an identifier as 16 bytes.
    package mutating func writeID(_ number: Int, _ id: RecordID) {
        varint(UInt64(number) << 3 | 2)
        varint(16)
        Swift.withUnsafeBytes(of: (id.high.bigEndian, id.low.bigEndian)) { bytes.append(contentsOf: $0) }
    }

    /// Writes a message field without a buffer of its own.
    package mutating func writeMessage(_ number: Int, _ body: (inout ProtobufWriter) -> Void) {
        varint(UInt64(number) << 3 | 2)
        let place = bytes.count
        // Most messages are shorter than 128 bytes, so that their length takes one byte.
        bytes.append(0)
        body(&self)
        let count = bytes.count - place - 1
        guard count >= 0x80 else { return bytes[place] = UInt8(count) }
        var length = ProtobufWriter()
        length.varint(UInt64(count))
        bytes.replaceSubrange(place...place, with: length.bytes)
    }

    /// Appends fields that are encoded already.
    package mutating func append(_ encoded: some Collection<UInt8>) {
        // Arrays and slices are copied without an intermediate array.
        let copied: Void? = encoded.withContiguousStorageIfAvailable { bytes.append(contentsOf: $0) }
        if copied == nil { bytes.append(contentsOf: Array(encoded)) }
    }

    /// Removes all bytes from an offset on.
    package mutating func removeBytes(from offset: Int) {
        bytes.removeSubrange(offset...)
    }

    /// Returns the number of bytes of an encoded number.
    package static func count(varint value: UInt64) -> Int { (70 - (value | 1).leadingZeroBitCount) / 7 }

    /// Returns the number of bytes of an encoded byte string, including its length.
    package static func count(bytes: Int) -> Int { count(varint: UInt64(bytes)) + bytes }

    /// Appends a varint, inlined: a server writes two for each record of a page.
    @inline(__always)
    private mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }
}
