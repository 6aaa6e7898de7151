internal import RoostModel

/// Conditions that a record's content has to meet to be sent.
extension RowStore {
    /// Explains why a server, or other replicas, would refuse a record's content.
    ///
    /// Costs a lookup in a dictionary that is mostly empty, because this store checked the content when it read it.
    ///
    /// - Parameters:
    ///   - key: The record, which this store has read since its last write.
    ///   - encoded: The content of the record as it was read.
    ///   - bytesMax: The largest number of bytes of a put (`Limits.putBytesMax`, 256 KiB).
    /// - Returns: A sentence that names the attribute or the limit; `nil` where the content can be sent.
    func refusal(of key: RecordKey, _ encoded: [UInt8], bytesMax: Int) -> String? {
        if let fault = faults[key] { return fault }
        guard encoded.count > bytesMax else { return nil }
        return "The content has \(encoded.count) bytes, the limit is \(bytesMax)."
    }

    /// Replaces the original put that is stored for a record (``RowExtra/original``) by a newer put of the record.
    ///
    /// Without this, a later edit back to the original value would bring back parts of the put that an edit has replaced.
    ///
    /// - Parameter encoded: The current content of the record, such as it was sealed.
    func renewOriginal(of key: RecordKey, to encoded: [UInt8]) throws {
        guard let table = layout[key.entity], let kept = try extra(of: key)?.original, kept != encoded else { return }
        try RowCoding(table).withRow(encoded) { try write(extra: $0.extra, of: key) }
    }
}
