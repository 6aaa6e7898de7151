internal import CSQLite
internal import GRDB
internal import RoostMerge
internal import RoostModel

/// Joins slots into the confirmed ones of their record with one statement, whether it has some or not.
///
/// The statement asks a function of ours what the slots that it finds give with those that come. A statement that reads them and another that
/// writes are a third look into the table, which was a sixth of what taking in an edited record took.
struct ConfirmedJoin {
    let incoming: SlotStamps
    /// Those that were found; none where nothing was.
    private(set) var before = SlotStamps()
    private(set) var after: SlotStamps

    static let sql = """
        INSERT INTO roost_fact(entity, id, put_stamp, hash, del_stamp) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT(entity, id) DO UPDATE SET
          put_stamp = excluded.put_stamp, hash = excluded.hash, del_stamp = excluded.del_stamp
        WHERE \(function)(?, put_stamp, hash, del_stamp)
        """
    private static let function = "roost_join"
    /// Says what the function is given; who has only SQL can give it nothing of this kind (sqlite.org/bindptr.html).
    private static let kind: StaticString = "roost-confirmed-join"

    init(_ incoming: SlotStamps) {
        self.incoming = incoming
        after = incoming
    }

    /// Gives a connection the function.
    static func prepare(_ database: Database) throws {
        let code = sqlite3_create_function_v2(
            database.sqliteConnection, function, 4, SQLITE_UTF8 | SQLITE_DIRECTONLY, nil, join, nil, nil, nil)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    /// Whether the confirmed slots are something else still than the statement has written: partly those found, partly those that came.
    var isMixed: Bool { after != before && after != incoming }

    /// Runs the statement, the slots that come being bound.
    mutating func run(_ query: Query) throws {
        try withUnsafeMutablePointer(to: &self) { join in
            query.bind(6, join, kind: Self.kind)
            defer { query.bindNull(6) }
            try query.run()
        }
    }

    /// - Returns: Whether the slots that come take the place of those found as they are.
    private mutating func meet(_ found: SlotStamps) -> Bool {
        before = found
        after = found
        if let put = incoming.put { _ = SlotMerge.merge(put, into: &after) }
        if let delete = incoming.delete { _ = SlotMerge.merge(delete: delete, into: &after) }
        return after != before && after == incoming
    }

    /// Of a join and the slots in the row that is there: whether it is to hold those that come.
    private static let join: @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void = {
        context, _, values in
        guard let values, let join = sqlite3_value_pointer(values[0], kind.cString) else {
            return sqlite3_result_error(context, "There are no slots to join.", -1)
        }
        func wide(_ index: Int) -> UnsafeRawPointer? {
            guard let start = sqlite3_value_blob(values[index]), sqlite3_value_bytes(values[index]) == 16 else {
                return nil
            }
            return UnsafeRawPointer(start)
        }
        let found = SlotStamps(
            putStamp: wide(1).map { HybridTimestamp(loading: $0) }, hash: wide(2).map { ContentHash(loading: $0) },
            delete: wide(3).map { HybridTimestamp(loading: $0) })
        let isTaken = join.assumingMemoryBound(to: ConfirmedJoin.self).pointee.meet(found)
        sqlite3_result_int(context, isTaken ? 1 : 0)
    }
}

extension SlotStamps {
    /// As a row has them: of a put both or none.
    init(putStamp: HybridTimestamp?, hash: ContentHash?, delete: HybridTimestamp?) {
        self.init(delete: delete)
        if let putStamp, let hash { put = .init(stamp: putStamp, hash: hash) }
    }
}
