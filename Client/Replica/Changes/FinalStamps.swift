internal import CSQLite
internal import GRDB
internal import RoostModel

/// Writes the stamps that waiting puts are sent with into the outbox, all with one statement: an `UPDATE` of each by itself takes more than
/// three times as long.
///
/// The statement goes through the outbox and asks a function of ours for the stamp of each entry. The function passes along the new stamps,
/// which are in the order of keys, as the outbox is.
struct FinalStamps {
    /// A waiting put and its stamp.
    typealias Stamp = (key: RecordKey, put: Int64)

    /// As few as these are written one by one.
    private static let fewMax = 4
    private static let function = "roost_final_stamp"
    /// Says what the function is given; who has only SQL can give it nothing of this kind (sqlite.org/bindptr.html).
    private static let kind: StaticString = "roost-final-stamps"

    private let database: Database

    init(_ database: Database) { self.database = database }

    /// Gives a connection the function.
    static func prepare(_ database: Database) throws {
        let code = sqlite3_create_function_v2(
            database.sqliteConnection, function, 4, SQLITE_UTF8 | SQLITE_DIRECTONLY, nil, nextStamp, nil, nil, nil)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    /// Whether one statement is the faster way: it passes every entry of the outbox.
    static func isFaster(for stamps: Int, of entries: Int) -> Bool { stamps > fewMax && stamps * 2 > entries }

    /// Gives each of these entries its stamp, all of which hold a put and no delete.
    ///
    /// - Returns: How many were written. Where they are not all, the outbox is not what it was read as.
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

    /// How far the function has come.
    private struct Place {
        let stamps: UnsafeBufferPointer<Stamp>
        var next = 0

        /// The new stamp of an entry, if it is the one whose turn it is.
        mutating func stamp(of key: RecordKey) -> Int64? {
            guard next < stamps.count, stamps[next].key == key else { return nil }
            defer { next += 1 }
            return stamps[next].put
        }
    }

    /// Of a place, an entity, an identifier and the stamp that stays if there is no other.
    private static let nextStamp:
        @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void = {
            context, _, values in
            guard let values, let place = sqlite3_value_pointer(values[0], kind.cString) else {
                return sqlite3_result_error(context, "There are no stamps to write.", -1)
            }
            guard let entity = UInt32(exactly: sqlite3_value_int64(values[1])), sqlite3_value_bytes(values[2]) == 16,
                let id = sqlite3_value_blob(values[2]),
                let stamp = place.assumingMemoryBound(to: Place.self).pointee
                    .stamp(of: RecordKey(entity: EntityID(entity), id: RecordID(loading: id)))
            else { return sqlite3_result_value(context, values[3]) }
            sqlite3_result_int64(context, stamp)
        }
}
