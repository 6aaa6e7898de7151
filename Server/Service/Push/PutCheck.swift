internal import RoostModel
internal import RoostProtocol

/// Looks at the shape of a put's bytes, without reading its attributes.
enum PutCheck {
    /// Returns why a put cannot be stored, or `nil`.
    static func refusal(of put: [UInt8], limits: Limits) -> (code: ErrorCode, reason: String)? {
        guard put.count <= limits.putBytesMax else {
            return (.tooLarge, "the put has \(put.count) bytes, the limit is \(limits.putBytesMax)")
        }
        do {
            let properties = try put.withBytes { (put) throws(ContentError) in try Self.properties(of: put) }
            guard properties <= limits.propertiesPerRecordMax else {
                return (
                    .malformedPut, "the put has \(properties) properties, the limit is \(limits.propertiesPerRecordMax)"
                )
            }
            return nil
        } catch {
            return (.malformedPut, "its bytes are no Put message in canonical form")
        }
    }

    /// Counts references and attributes; both must be in strictly ascending order.
    private static func properties(of put: UnsafeRawBufferPointer) throws(ContentError) -> Int {
        var count = 0
        var lastReference: UInt64 = 0
        var contents = 0
        var reader = ProtobufReader(put)
        while let field = try reader.next() {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)):
                let relationship = try reference(bytes)
                guard relationship > lastReference else { throw .malformed }
                lastReference = relationship
                count += 1
            case (2, .bytes(let bytes)):
                contents += 1
                count += try attributes(bytes)
            case (1, _), (2, _): throw .malformed
            default: break
            }
        }
        guard contents <= 1 else { throw .malformed }
        return count
    }

    private static func reference(_ bytes: UnsafeRawBufferPointer) throws(ContentError) -> UInt64 {
        var relationship: UInt64 = 0
        var hasTarget = false
        var reader = ProtobufReader(bytes)
        while let field = try reader.next() {
            switch (field.number, field.value) {
            case (1, .varint(let number)): relationship = number
            case (2, .bytes(let target)): hasTarget = target.count == 16
            default: break
            }
        }
        guard hasTarget, UInt32(exactly: relationship) != nil else { throw .malformed }
        return relationship
    }

    private static func attributes(_ content: UnsafeRawBufferPointer) throws(ContentError) -> Int {
        var count = 0
        var last: UInt64 = 0
        var reader = ProtobufReader(content)
        while let field = try reader.next() {
            guard field.number == 1 else { continue }
            guard case .bytes(let bytes) = field.value else { throw .malformed }
            var inner = ProtobufReader(bytes)
            guard let first = try inner.next(), first.number == 1, case .varint(let property) = first.value,
                property > last, UInt32(exactly: property) != nil
            else { throw .malformed }
            last = property
            count += 1
        }
        return count
    }
}
