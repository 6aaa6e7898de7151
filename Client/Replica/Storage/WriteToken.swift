package import GRDB

/// A token that shows, compared with an earlier one, whether a replica was written to in between, and by whom (decision 95).
package struct WriteToken: Hashable, Sendable {
    /// Values that change whenever a program of this device writes a record.
    package let local: [Int64]
    /// The checkpoint, which changes whenever a page of pulled records is applied.
    package let remote: [UInt8]
    /// Whether more pages are known to follow at once, so that the pulled records are incomplete.
    package let isBehind: Bool

    /// Reads the token as a connection sees the file.
    package init(_ database: Database) throws {
        // Stamps of one millisecond may be equal, so their sum reveals an edit of another record. Only the low bits of each are
        // added, so that no number of records overflows the sum. A mark counts as the outbox entry that it will become. Where the
        // record already has an entry, observers are notified once more when the mark is folded into the outbox.
        let (outbox, marks) = (
            try Self.sums(of: "roost_outbox", database), try Self.sums(of: "(\(Marks.stampsSQL))", database)
        )
        local = zip(zip(outbox, marks), 0...).map { pair, place in
            Self.maxima.contains(place) ? max(pair.0, pair.1) : pair.0 + pair.1
        }
        let state = StateStore(database: database)
        remote = try state.bytes(.checkpoint) ?? []
        isBehind = try state.integer(.behind) != nil
    }

    /// The indexes of the greatest stamps in ``sums(of:_:)``.
    private static let maxima = 2...3

    private static func sums(of source: String, _ database: Database) throws -> [Int64] {
        let query = try database.query(
            """
            SELECT count(put_stamp), count(del_stamp), coalesce(max(put_stamp), 0), coalesce(max(del_stamp), 0),
              coalesce(sum(put_stamp & 0xFFFFFFFF), 0), coalesce(sum(del_stamp & 0xFFFFFFFF), 0) FROM \(source)
            """)
        return try query.first { row in (0..<6).map { row.integer($0) } } ?? []
    }
}
