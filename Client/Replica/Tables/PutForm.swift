internal import RoostModel

/// A check that the bytes of a put are in the canonical form (protocol.md §5.3), made while they are read.
struct PutForm {
    /// Whether everything read so far is canonical. An encoding that is longer than necessary shows only in ``count``.
    var isRegular = true
    /// The number of bytes of the canonical form.
    private(set) var count = 0
    private var last: UInt32 = 0
    private var hasContent = false

    mutating func add(_ reference: Put.Reference, _ bytes: UnsafeRawBufferPointer) {
        let relationship = reference.relationship.rawValue
        if hasContent || relationship <= last || bytes.first != 0x08 { isRegular = false }
        last = relationship
        // Two tags, the number of the relationship, and 16 bytes with their length.
        count += 1 + ProtobufWriter.count(bytes: 19 + ProtobufWriter.count(varint: UInt64(relationship)))
    }

    /// Checks the content of the put.
    ///
    /// - Parameter content: A reader that has read all of it.
    mutating func add(_ content: ContentReader) {
        if hasContent || !content.isCanonical { isRegular = false }
        hasContent = true
        if content.canonicalCount > 0 { count += 1 + ProtobufWriter.count(bytes: content.canonicalCount) }
    }
}
