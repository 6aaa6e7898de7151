internal import CSQLite
internal import GRDB
internal import RoostMerge
internal import RoostModel

/// A merge of incoming slots into the confirmed slots of a record by one statement, whether the record has confirmed slots or
/// not.
///
/// The statement calls an SQL function of Roost's, which merges the slots found with the incoming ones. One statement that reads
/// and another that writes would search the table a third time, which is a sixth of the time for applying an edited record.
///
/// Plain path: ``EffectiveStamps/confirmed(_:)``, `SlotMerge` and ``EffectiveStamps/replaceConfirmed(_:with:of:)``.
/// `ConfirmedJoinTests` compares the two.
struct ConfirmedJoin {
    let key: RecordKey
    let incoming: SlotStamps
    /// The confirmed slots that the statement found; empty where it found none.
    private(set) var before = SlotStamps()
    private(set) var after: SlotStamps

    init(_ incoming: SlotStamps, of key: RecordKey) {
        self.key = key
        self.incoming = incoming
        after = incoming
    }

    /// Whether one of the merged slots was found and the other one is incoming, so that the statement has not written them.
    var isMixed: Bool { after != before && after != incoming }

    /// Merges the incoming slots with the slots found.
    ///
    /// - Returns: Whether the merged slots are the incoming ones, and differ from the slots found.
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
    /// The number of records of the batch statement. It takes half the time of 50 single statements, and a statement for 200
    /// records takes no less for each record.
    static let batch = 50
    private static let function = "roost_join"
    /// The type name of the pointer that the function takes. SQL text cannot produce a pointer of this type
    /// (sqlite.org/bindptr.html).
    private static let kind: StaticString = "roost-confirmed-join"

    static let sql = sql(for: 1)
    static let batchSQL = sql(for: batch)

    /// Makes the statement for a number of records.
    ///
    /// `OR FAIL` keeps the rows written before an error, so that SQLite keeps no pages to undo the statement. The caller rolls
    /// back the transaction after an error.
    private static func sql(for count: Int) -> String {
        """
        INSERT OR FAIL INTO roost_fact(entity, id, put_stamp, hash, del_stamp)
        VALUES \(Array(repeating: "(?, ?, ?, ?, ?)", count: count).joined(separator: ", "))
        ON CONFLICT(entity, id) DO UPDATE SET
          put_stamp = excluded.put_stamp, hash = excluded.hash, del_stamp = excluded.del_stamp
        WHERE \(function)(?, excluded.entity, excluded.id, put_stamp, hash, del_stamp)
        """
    }

    /// Registers the SQL function on a connection.
    static func prepare(_ database: Database) throws {
        let code = sqlite3_create_function_v2(
            database.sqliteConnection, function, 6, SQLITE_UTF8 | SQLITE_DIRECTONLY, nil, join, nil, nil, nil)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    /// Runs the statement for as many records as it has, in ascending order of keys.
    static func run(_ query: Query, _ joins: UnsafeMutableBufferPointer<ConfirmedJoin>) throws {
        try BlobScratch.withRoom(for: 4 * joins.count, query.identifiers) { words in
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

    /// The progress of a running statement.
    private struct UnderWay {
        let joins: UnsafeMutableBufferPointer<ConfirmedJoin>
        private var next = 0

        init(joins: UnsafeMutableBufferPointer<ConfirmedJoin>) { self.joins = joins }

        /// Merges the incoming slots of a record with the slots found in its row. SQLite finds existing rows in the order of the
        /// incoming records.
        ///
        /// - Returns: `nil` where no further join has the key.
        mutating func meet(_ key: RecordKey, _ found: SlotStamps) -> Bool? {
            while next < joins.count {
                defer { next += 1 }
                if joins[next].key == key { return joins[next].meet(found) }
            }
            return nil
        }
    }

    /// The SQL function. Its arguments are the joins, an incoming key, and the slots of the existing row. Its result is whether
    /// the row is to hold the incoming slots.
    private static let join: @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void = {
        context, _, values in
        func wide(_ index: Int) -> UnsafeRawPointer? {
            guard let start = sqlite3_value_blob(values?[index]), sqlite3_value_bytes(values?[index]) == 16 else {
                return nil
            }
            return UnsafeRawPointer(start)
        }
        guard let underWay = sqlite3_value_pointer(values?[0], kind.cString),
            let id = IdentifierForm.identifier(values?[2]),
            let entity = UInt32(exactly: sqlite3_value_int64(values?[1])),
            let isTaken = underWay.assumingMemoryBound(to: UnderWay.self).pointee.meet(
                RecordKey(entity: EntityID(entity), id: id),
                SlotStamps(
                    putStamp: wide(3).map { HybridTimestamp(loading: $0) },
                    hash: wide(4).map { ContentHash(loading: $0) },
                    delete: wide(5).map { HybridTimestamp(loading: $0) }))
        else { return sqlite3_result_error(context, "There are no slots to join.", -1) }
        sqlite3_result_int(context, isTaken ? 1 : 0)
    }
}

extension SlotStamps {
    /// Makes slots from the columns of a row, where a put has both a stamp and a hash, or neither.
    init(putStamp: HybridTimestamp?, hash: ContentHash?, delete: HybridTimestamp?) {
        self.init(delete: delete)
        if let putStamp, let hash { put = .init(stamp: putStamp, hash: hash) }
    }
}
