internal import RoostModel

/// What a record's content has to be so that it can be sent.
extension RowStore {
    /// Explains why a server, or other replicas, would not take a record's content.
    ///
    /// Costs a look at a dictionary that is mostly empty: the content was judged when this store read it.
    ///
    /// - Parameters:
    ///   - key: The record, which this store has read since it was last written.
    ///   - encoded: Its content as it was read.
    ///   - bytesMax: How many bytes a put may have (`Limits.putBytesMax`, 256 KiB).
    /// - Returns: A sentence that names the attribute; `nil` for what can be sent.
    func refusal(of key: RecordKey, _ encoded: [UInt8], bytesMax: Int) -> String? {
        if let fault = faults[key] { return fault }
        guard encoded.count > bytesMax else { return nil }
        return "The content has \(encoded.count) bytes, the limit is \(bytesMax)."
    }

    /// Lets a record whose put is kept whole keep the put that was made of it since: what an edit replaced does not come back with a
    /// later edit to the same value as before.
    ///
    /// - Parameter encoded: The content of the record as it is now, such as it was sealed.
    func renewOriginal(of key: RecordKey, to encoded: [UInt8]) throws {
        guard let table = layout[key.entity], let kept = try extra(of: key)?.original, kept != encoded else { return }
        try RowCoding(table).withRow(encoded) { try write(extra: $0.extra, of: key) }
    }
}
