internal import RoostModel

/// Whether the bytes of a put are in the one form in which its values are written (protocol.md §5.3), looked at while they are read.
struct PutForm {
    /// Whether nothing was found that is not. What is longer than it need be shows in ``count`` alone.
    var isRegular = true
    /// How many bytes the canonical form has.
    private(set) var count = 0
    private var last: UInt32 = 0
    private var hasContent = false

    mutating func take(_ reference: Put.Reference, _ bytes: UnsafeRawBufferPointer) {
        let relationship = reference.relationship.rawValue
        if hasContent || relationship <= last || bytes.first != 0x08 { isRegular = false }
        last = relationship
        // Two tags, the number, and 16 bytes with their count.
        count += 1 + ProtobufWriter.count(bytes: 19 + ProtobufWriter.count(varint: UInt64(relationship)))
    }

    /// - Parameter content: All of it was read.
    mutating func take(_ content: ContentReader) {
        if hasContent || !content.isCanonical { isRegular = false }
        hasContent = true
        if content.canonicalCount > 0 { count += 1 + ProtobufWriter.count(bytes: content.canonicalCount) }
    }
}
