package import RoostModel
internal import RoostProtocol

/// The limits of one record's content, beyond which it cannot be sent (protocol.md §10).
package enum RecordLimits {
    /// The maximum number of bytes of the content, encoded as a put.
    package static let bytesMax = Limits().putBytesMax
    /// The maximum number of attributes and references of the content.
    private static let propertiesMax = Limits().propertiesPerRecordMax

    /// Explains why content cannot be sent because of its size.
    ///
    /// - Parameters:
    ///   - encoded: The content as an encoded put.
    ///   - columns: The number of attributes and references that the schema has for the record.
    ///   - name: Returns the name of a property; `nil` for one that the schema does not know.
    /// - Returns: The end of a sentence about the record, and the remedy; `nil` where the content is within the limits.
    package static func fault(of encoded: [UInt8], columns: Int, name: (PropertyID) -> String?) -> String? {
        if encoded.count > bytesMax { return sizeFault(of: encoded, name) }
        guard columns > propertiesMax, let count = properties(of: encoded)?.count, count > propertiesMax else {
            return nil
        }
        return
            "has \(count) attributes and references, and the limit is \(propertiesMax). Set fewer, or move some to an entity of their own."
    }

    private static func sizeFault(of encoded: [UInt8], _ name: (PropertyID) -> String?) -> String {
        let largest = properties(of: encoded)?.max { $0.bytes < $1.bytes }
        let part = largest.map { largest in
            let property = name(largest.id).map { "\"\($0)\"" } ?? "a property of a later version of the schema"
            return ", \(largest.bytes) of them in \(property)"
        }
        return
            "has \(encoded.count) bytes of content\(part ?? ""), and the limit is \(bytesMax) (\(bytesMax >> 10) KiB). Shorten it, or divide it among several records."
    }

    /// Returns the properties of a put with the sizes of their values; `nil` where the put cannot be read.
    private static func properties(of encoded: [UInt8]) -> [(id: PropertyID, bytes: Int)]? {
        guard let put = try? Put(encoded: encoded), let fields = try? ContentCoding.decode(put.content) else {
            return nil
        }
        return put.references.map { ($0.relationship, 16) } + fields.map { ($0.property, $0.value.byteCount) }
    }
}

extension Value {
    /// The number of bytes of a text or of bytes; 8 for other values, 0 for nil.
    package var byteCount: Int {
        switch self {
        case .null: 0
        case .string(let text): text.utf8.count
        case .data(let bytes): bytes.count
        case .integer, .double, .boolean: 8
        }
    }
}
