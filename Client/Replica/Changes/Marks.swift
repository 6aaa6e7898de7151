internal import GRDB
internal import RoostMerge
internal import RoostModel

/// The log to which Roost's triggers append: which records' rows were written or deleted, in order, since the log was last folded
/// into the outbox.
///
/// A trigger that only appends takes four fifths of the time of one that searches the outbox for a record's entry (decision 151).
/// The stamps of marks depend on the control row. So code that works on the outbox, or changes the control row, first folds the
/// marks into the outbox (``Settlement``). Code that only reads counts the marks along with the outbox.
struct Marks {
    let database: Database

    /// The SQL expression for the stamp of a mark `m` by the control row `c`. The stamp is the clock's reading when the mark was
    /// written, and greater than all readings known then. The control row still is as it was then, because code that changes it
    /// folds the marks first.
    private static let stampSQL = SQLClock.reading(at: "m.at")

    /// The tables that ``stampSQL`` reads.
    private static let joinSQL = "roost_mark m CROSS JOIN roost_control c"

    /// The query for all marks in their order: (entity, identifier, stamp, whether the mark is of a delete).
    static let listSQL = """
        SELECT m.entity, m.id, \(stampSQL), m.deletes FROM \(joinSQL) ORDER BY m.n
        """

    /// The query for the stamps that the marks will have in the outbox: (of a put, of a delete).
    static let stampsSQL = """
        SELECT CASE m.deletes WHEN 0 THEN \(stampSQL) END AS put_stamp, CASE m.deletes WHEN 1 THEN \(stampSQL) END AS del_stamp
        FROM \(joinSQL)
        """

    // MARK: Folding into the outbox

    /// The largest number of marks that are folded one by one, which also yields the pending changes. One statement folds more.
    private static let fewMax = 64

    /// The query for the marks that is combined with a query of the outbox: (entity, identifier, stamp, number of the local
    /// transaction, identifier of this replica, 1 for a put and 2 for a delete).
    static let unsettledSQL = """
        SELECT m.entity, m.id, \(stampSQL), c.txn, c.replica, m.deletes + 1
        FROM \(joinSQL)
        """

    /// Marks that were read by ``unsettledSQL``, in the order of their table.
    struct Found {
        fileprivate var marks: [(key: RecordKey, mark: Mark, txn: Int64)] = []
        /// The number of marks that name no record, by entity. Any row of such an entity may have been written or deleted.
        fileprivate(set) var open: [EntityID: Int] = [:]
        private var count = 0
        /// Whether these are all marks. Otherwise there are too many to process one by one.
        private(set) var isWhole = true

        /// Adds the mark in the current row of a query.
        ///
        /// - Returns: Whether there may be more to read.
        mutating func add(_ query: Query) -> Bool {
            if let key = query.key(0) {
                marks.append((key, Mark(time: query.integer(2), isDelete: query.integer(5) != 1), query.integer(3)))
            } else {
                open[EntityID(UInt32(truncatingIfNeeded: query.integer(0))), default: 0] += 1
            }
            count += 1
            isWhole = count <= Marks.fewMax
            return isWhole
        }
    }

    /// Folds all marks into the outbox, inside a write transaction.
    ///
    /// The entries get 2 for `unsettled`, so that the next settlement reconciles them with their rows. Pending changes that need
    /// no reconciliation have 1.
    ///
    /// - Returns: The number of marks that name no record, by entity. These marks are deleted, too, and the caller has to compare
    ///   the rows of the entities.
    func fold() throws -> [EntityID: Int] {
        let open = try database.query(
            "SELECT m.entity, count(*) FROM roost_mark AS m WHERE (\(Self.namesRecord(database.identifiers))) IS NOT 1 GROUP BY m.entity"
        ).all { (EntityID(UInt32(truncatingIfNeeded: $0.integer(0))), Int($0.integer(1))) }
        try database.query(Self.foldSQL[database.identifiers]).run()
        if !open.isEmpty || database.changesCount > 0 { try discard() }
        return Dictionary(open, uniquingKeysWith: +)
    }

    /// Folds the marks that name a record into the outbox, for a caller that does not settle. Other marks stay.
    func foldNamed() throws {
        try database.query(Self.foldSQL[database.identifiers]).run()
        guard database.changesCount > 0 else { return }
        try database.query("DELETE FROM roost_mark AS m WHERE \(Self.namesRecord(database.identifiers))").run()
    }

    /// The SQL condition whether a mark `m` names a record. A statement may have named any value as identifier before its table
    /// refused it.
    private static func namesRecord(_ identifiers: IdentifierForm) -> String {
        "\(identifiers.isIdentifier("m.id")) AND m.entity BETWEEN 1 AND 4294967295"
    }

    private static let foldSQL = IdentifierSQL { identifiers in
        """
        INSERT INTO roost_outbox(entity, id, put_stamp, del_stamp, first, txn, unsettled)
          SELECT m.entity, m.id, CASE m.deletes WHEN 0 THEN \(stampSQL) END, CASE m.deletes WHEN 0 THEN NULL ELSE \(stampSQL) END,
            c.txn, c.txn, 2
          FROM \(joinSQL) WHERE \(namesRecord(identifiers)) ORDER BY m.n
          ON CONFLICT(entity, id) DO UPDATE SET
            put_stamp = \(later("put_stamp")), del_stamp = \(later("del_stamp")), txn = excluded.txn, unsettled = 2
        """
    }

    /// Makes the SQL expression that merges a marked change into a slot of an existing entry. The change is later than both slots
    /// were.
    private static func later(_ slot: String) -> String {
        """
        CASE WHEN excluded.\(slot) IS NULL THEN \(slot)
          ELSE max(excluded.\(slot), coalesce(put_stamp, 0) + 1, coalesce(del_stamp, 0) + 1) END
        """
    }

    /// Folds a few marks into the outbox. Their entries count as settled, so the caller has to settle them itself.
    ///
    /// - Parameter found: All marks of the file.
    /// - Returns: The pending changes of each marked record.
    func fold(_ found: Found) throws -> [Outbox.Waiting] {
        guard !found.marks.isEmpty else {
            if !found.open.isEmpty { try discard() }
            return []
        }
        let insert = try database.query(
            """
            INSERT INTO roost_outbox(entity, id, put_stamp, del_stamp, first, txn, unsettled) VALUES (?1, ?2, ?3, ?4, ?5, ?5, 0)
            ON CONFLICT DO NOTHING
            """)
        var waiting: [Outbox.Waiting] = []
        for (key, mark, txn) in found.marks {
            insert.bind(1, key.entity.rawValue)
            insert.bind(mark.isDelete ? 4 : 3, mark.time)
            insert.bindNull(mark.isDelete ? 3 : 4)
            insert.bind(5, txn)
            try insert.with(2, key.id) { try insert.run() }
            if insert.rowsWritten > 0 {
                waiting.append(
                    Outbox.Waiting(
                        key: key, put: mark.isDelete ? nil : mark.time, delete: mark.isDelete ? mark.time : nil))
            } else {
                let joined = try join(mark, txn, of: key)
                waiting.removeAll { $0.key == key }
                waiting.append(joined)
            }
        }
        try discard()
        return waiting
    }

    /// Merges a mark into the pending changes of a record that has an entry.
    private func join(_ mark: Mark, _ txn: Int64, of key: RecordKey) throws -> Outbox.Waiting {
        let look = try database.query("SELECT put_stamp, del_stamp FROM roost_outbox WHERE entity = ? AND id = ?")
        look.bind(1, key.entity.rawValue)
        look.bind(2, key.id)
        var (put, delete) = try look.first { ($0.optionalInteger(0), $0.optionalInteger(1)) } ?? (nil, nil)
        mark.join(into: &put, &delete)
        let update = try database.query(
            """
            UPDATE roost_outbox SET put_stamp = ?3, del_stamp = ?4, txn = ?5, unsettled = 0 WHERE entity = ?1 AND id = ?2
            """)
        update.bind(1, key.entity.rawValue)
        update.bind(2, key.id)
        update.bind(3, put) { update.bind($0, $1) }
        update.bind(4, delete) { update.bind($0, $1) }
        update.bind(5, txn)
        try update.run()
        return Outbox.Waiting(key: key, put: put, delete: delete)
    }

    /// Deletes all marks: those just folded, or marks of rows that Roost itself has moved on a connection with triggers after
    /// folding.
    func discard() throws { try database.query("DELETE FROM roost_mark").run() }

    // MARK: Reading without folding

    /// Whether there are more than `count` marks.
    func hasMore(than count: Int) throws -> Bool {
        try database.hasMore(than: count, in: "roost_mark")
    }

    /// Counts the records with pending changes, including marked records, and finds the time of their oldest change (milliseconds
    /// since 1970).
    func withOutbox() throws -> (count: Int, since: Int64?) {
        let query = try database.query(
            """
            SELECT (SELECT count(*) FROM roost_outbox)
                + (SELECT count(*) FROM (SELECT DISTINCT m.entity, m.id FROM roost_mark m
                   WHERE \(Self.namesRecord(database.identifiers)) AND NOT EXISTS (SELECT 1 FROM roost_outbox o WHERE o.entity = m.entity AND o.id = m.id))),
              (SELECT min(min(coalesce(put_stamp, del_stamp), coalesce(del_stamp, put_stamp))) >> 16 FROM roost_outbox),
              (SELECT min(\(Self.stampSQL)) >> 16 FROM \(Self.joinSQL))
            """)
        return try query.first { row in
            (Int(row.integer(0)), [row.optionalInteger(1), row.optionalInteger(2)].compactMap(\.self).min())
        } ?? (0, nil)
    }

    /// Reads the marks of each record, in the order in which they were written.
    func waiting() throws -> [RecordKey: [Mark]] {
        let query = try database.query(Self.listSQL)
        var waiting: [RecordKey: [Mark]] = [:]
        while try query.step() {
            guard let key = query.key(0) else { continue }
            waiting[key, default: []].append(Mark(time: query.integer(2), isDelete: query.integer(3) != 0))
        }
        return waiting
    }

    /// An entry of the log: a record's row was written, or deleted.
    struct Mark {
        var time: Int64
        var isDelete: Bool

        /// Merges this mark into the pending changes of its record as ``Marks/fold()`` does.
        func join(into put: inout Int64?, _ delete: inout Int64?) {
            let time = max(time, (put ?? 0) + 1, (delete ?? 0) + 1)
            if isDelete { delete = time } else { put = time }
        }
    }
}
