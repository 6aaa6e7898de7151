internal import CSQLite
internal import GRDB
internal import RoostMerge
internal import RoostModel

/// Slots that come, to be joined into the confirmed ones of their record by one statement, whether there are some or not.
///
/// The statement asks a function of ours what the slots that it finds give with those that come. A statement that reads them and another that
/// writes are a third look into the table, which was a sixth of what taking in an edited record took.
struct ConfirmedJoin {
    let key: RecordKey
    let incoming: SlotStamps
    /// Those that were found; none where nothing was.
    private(set) var before = SlotStamps()
    private(set) var after: SlotStamps

    init(_ incoming: SlotStamps, of key: RecordKey) {
        self.key = key
        self.incoming = incoming
        after = incoming
    }

    /// Whether the confirmed slots are something else still than the statement has written: partly those found, partly those that came.
    var isMixed: Bool { after != before && after != incoming }

    /// - Returns: Whether the slots that come take the place of those found as they are.
    fileprivate mutating func meet(_ found: SlotStamps) -> Bool {
        before = found
        after = found
        if let put = incoming.put { _ = SlotMerge.merge(put, into: &after) }
        if let delete = incoming.delete { _ = SlotMerge.merge(delete: delete, into: &after) }
        return after != before && after == incoming
    }
}

// MARK: The statement

extension ConfirmedJoin {
    /// For how many records there is a statement. One that writes 50 takes half the time of 50 of them, and one of 200 no less.
    static let batch = 50
    private static let function = "roost_join"
    /// Says what the function is given; who has only SQL can give it nothing of this kind (sqlite.org/bindptr.html).
    private static let kind: StaticString = "roost-confirmed-join"

    static let sql = sql(for: 1)
    static let batchSQL = sql(for: batch)

    /// It fails where it is and not as a whole, so that SQLite keeps no pages to undo it with; whoever runs it undoes all of the
    /// transaction then.
    private static func sql(for count: Int) -> String {
        """
        INSERT OR FAIL INTO roost_fact(entity, id, put_stamp, hash, del_stamp)
        VALUES \(Array(repeating: "(?, ?, ?, ?, ?)", count: count).joined(separator: ", "))
        ON CONFLICT(entity, id) DO UPDATE SET
          put_stamp = excluded.put_stamp, hash = excluded.hash, del_stamp = excluded.del_stamp
        WHERE \(function)(?, excluded.entity, excluded.id, put_stamp, hash, del_stamp)
        """
    }

    /// Gives a connection the function.
    static func prepare(_ database: Database) throws {
        let code = sqlite3_create_function_v2(
            database.sqliteConnection, function, 6, SQLITE_UTF8 | SQLITE_DIRECTONLY, nil, join, nil, nil, nil)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    /// Runs the statement for as many records as it is for, in ascending order of keys.
    static func run(_ query: Query, _ joins: UnsafeMutableBufferPointer<ConfirmedJoin>) throws {
        try WideWords.withRoom(for: 4 * joins.count) { words in
            var place: Int32 = 1
            for join in joins {
                query.bind(place, join.key.entity.rawValue)
                query.bind(place + 1, words.add(join.key.id))
                query.bind(place + 2, join.incoming.put.map { words.add($0.stamp) })
                query.bind(place + 3, join.incoming.put.map { words.add($0.hash) })
                query.bind(place + 4, join.incoming.delete.map { words.add($0) })
                place += 5
            }
            var underWay = UnderWay(joins: joins)
            try withUnsafeMutablePointer(to: &underWay) { underWay in
                query.bind(place, underWay, kind: kind)
                defer { query.bindNull(place) }
                try query.run()
            }
        }
    }

    /// What a running statement has come to.
    private struct UnderWay {
        let joins: UnsafeMutableBufferPointer<ConfirmedJoin>
        private var next = 0

        init(joins: UnsafeMutableBufferPointer<ConfirmedJoin>) { self.joins = joins }

        /// The rows that are there are met in the order of those that come.
        mutating func meet(_ key: RecordKey, _ found: SlotStamps) -> Bool? {
            while next < joins.count {
                defer { next += 1 }
                if joins[next].key == key { return joins[next].meet(found) }
            }
            return nil
        }
    }

    /// Of the joins, the key that comes and the slots in its row that is there: whether it is to hold those that come.
    private static let join: @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void = {
        context, _, values in
        func wide(_ index: Int) -> UnsafeRawPointer? {
            guard let start = sqlite3_value_blob(values?[index]), sqlite3_value_bytes(values?[index]) == 16 else {
                return nil
            }
            return UnsafeRawPointer(start)
        }
        guard let underWay = sqlite3_value_pointer(values?[0], kind.cString), let id = wide(2),
            let entity = UInt32(exactly: sqlite3_value_int64(values?[1])),
            let isTaken = underWay.assumingMemoryBound(to: UnderWay.self).pointee.meet(
                RecordKey(entity: EntityID(entity), id: RecordID(loading: id)),
                SlotStamps(
                    putStamp: wide(3).map { HybridTimestamp(loading: $0) },
                    hash: wide(4).map { ContentHash(loading: $0) },
                    delete: wide(5).map { HybridTimestamp(loading: $0) }))
        else { return sqlite3_result_error(context, "There are no slots to join.", -1) }
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
