internal import CSQLite
internal import GRDB
internal import RoostModel

/// A writer of the stamps with which pending puts are sent. One statement writes all of them into the outbox: an `UPDATE` for
/// each takes more than three times as long.
///
/// The statement scans the outbox and calls an SQL function of Roost's for the stamp of each entry. The function steps through
/// the new stamps, which are in the order of keys, as the outbox is.
///
/// Plain path: one `UPDATE` for each entry (``Outbox/setStamps(_:of:)``). `FinalStampsTests` compares the two.
struct FinalStamps {
    /// A pending put and its stamp.
    typealias Stamp = (key: RecordKey, put: Int64)

    /// The largest number of stamps that are written one by one.
    private static let fewMax = 4
    private static let function = "roost_final_stamp"
    /// The type name of the pointer that the function takes. SQL text cannot produce a pointer of this type
    /// (sqlite.org/bindptr.html).
    private static let kind: StaticString = "roost-final-stamps"

    private let database: Database

    init(_ database: Database) { self.database = database }

    /// Registers the SQL function on a connection.
    static func prepare(_ database: Database) throws {
        let code = sqlite3_create_function_v2(
            database.sqliteConnection, function, 4, SQLITE_UTF8 | SQLITE_DIRECTONLY, nil, nextStamp, nil, nil, nil)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    /// Whether one statement for all stamps is faster. It scans every entry of the outbox.
    static func isFaster(for stamps: Int, of entries: Int) -> Bool { stamps > fewMax && stamps * 2 > entries }

    /// Writes the stamps of entries that hold a put and no delete.
    ///
    /// - Returns: The number of entries written. If it is smaller than the number of stamps, the outbox differs from what the
    ///   caller has read.
    func write(_ stamps: [Stamp]) throws -> Int {
        let query = try database.query(
            """
            UPDATE roost_outbox SET put_stamp = \(Self.function)(?, entity, id, put_stamp)
            WHERE put_stamp IS NOT NULL AND del_stamp IS NULL
            """)
        return try stamps.sorted { $0.key < $1.key }.withUnsafeBufferPointer { stamps in
            var place = Place(stamps: stamps)
            try withUnsafeMutablePointer(to: &place) { place in
                query.bind(1, place, kind: Self.kind)
                defer { query.clearBindings() }
                try query.run()
            }
            return place.next
        }
    }

    /// The progress of the function through the new stamps.
    private struct Place {
        let stamps: UnsafeBufferPointer<Stamp>
        var next = 0

        /// Returns the new stamp of an entry, if the entry is the next one to get a stamp.
        mutating func stamp(of key: RecordKey) -> Int64? {
            guard next < stamps.count, stamps[next].key == key else { return nil }
            defer { next += 1 }
            return stamps[next].put
        }
    }

    /// The SQL function. Its arguments are the progress, an entity, an identifier, and the stamp that stays where there is no new
    /// one.
    private static let nextStamp:
        @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void = {
            context, _, values in
            guard let values, let place = sqlite3_value_pointer(values[0], kind.cString) else {
                return sqlite3_result_error(context, "There are no stamps to write.", -1)
            }
            guard let entity = UInt32(exactly: sqlite3_value_int64(values[1])),
                let id = IdentifierForm.identifier(values[2]),
                let stamp = place.assumingMemoryBound(to: Place.self).pointee
                    .stamp(of: RecordKey(entity: EntityID(entity), id: id))
            else { return sqlite3_result_value(context, values[3]) }
            sqlite3_result_int64(context, stamp)
        }
}
