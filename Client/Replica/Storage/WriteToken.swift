package import GRDB

/// Tells whether anything was written to a replica between two looks, and by whom (decision 95).
package struct WriteToken: Hashable, Sendable {
    /// Changes whenever a program of this device writes a record.
    package let local: [Int64]
    /// Changes whenever a page of pulled records is taken in.
    package let remote: [UInt8]
    /// Whether more pages follow at once, as far as is known: what was pulled is half of something.
    package let isBehind: Bool

    /// Reads it as a connection sees the file.
    package init(_ database: Database) throws {
        // The stamps of one millisecond are alike: their sum tells an edit of another record. Only the low bits of each are added,
        // so that no number of records overflows it. A mark counts as an entry of the outbox, which it
        // will be: where the record has one already, who listens is told once more when it is taken in.
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

    /// Which of ``sums(of:_:)`` are the greatest stamps.
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
