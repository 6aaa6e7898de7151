internal import RoostModel

/// Records that are set aside (`roost_unfit`) because they do not fit the schema or an index.
extension RowStore {
    func isUnfit(_ key: RecordKey) throws -> Bool {
        guard occupancy.hasUnfit else { return false }
        return try unfitPut(of: key) != nil
    }

    /// Calls `body` with each of `keys` whose content is set aside.
    func eachUnfit(of keys: some Collection<RecordKey>, _ body: (RecordKey) throws -> Void) throws {
        guard occupancy.hasUnfit else { return }
        for key in Array(keys) where try isUnfit(key) { try body(key) }
    }

    /// Makes an SQL condition: whether the confirmed slots delete the record `u` of `roost_unfit`.
    ///
    /// A record that a visible record refers to by a deny rule does not count as deleted: once it fits, it is shown.
    static func isDeletedUnfit(_ layout: Layout) -> String {
        let denials = layout.tables.flatMap { layout.incoming($0.entity) }.filter { $0.rule.deleteRule == .deny }
        let named = denials.map { rule, child, column in
            """
              AND NOT (u.entity = \(rule.destination) AND EXISTS (
                SELECT 1 FROM \(child.visible) AS roost_c WHERE \(SQLName.column(column.name, of: "roost_c")) = u.id
                UNION ALL SELECT 1 FROM roost_raw AS r JOIN \(child.visible) AS roost_c ON roost_c."id" = r.id
                WHERE r.entity = \(rule.entity) AND r.relationship = \(rule.relationship) AND r.target = u.id))
            """
        }
        return """
            (EXISTS (SELECT 1 FROM roost_fact AS f WHERE f.entity = u.entity AND f.id = u.id
              AND f.del_stamp > coalesce(f.put_stamp, x''))\(named.joined(separator: "\n")))
            """
    }

    /// Reads the content of a record that is set aside, or hidden by a cascade, also where a visible row has the same identifier.
    func invisibleContent(_ key: RecordKey) throws -> [UInt8]? {
        if let put = occupancy.hasUnfit ? try unfitPut(of: key) : nil { return put }
        return try hiddenContent(key, isDeleted: false)
    }

    /// Reads the content of a deleted record, also where a visible row has the same identifier.
    func deletedContent(_ key: RecordKey) throws -> [UInt8]? { try hiddenContent(key, isDeleted: true) }

    /// Returns `nil` also where the content stored alongside the row is corrupt.
    private func hiddenContent(_ key: RecordKey, isDeleted: Bool) throws -> [UInt8]? {
        guard let table = layout[key.entity], try placeToWrite(key, in: table) == .hidden(isDeleted: isDeleted) else {
            return nil
        }
        do {
            return try encoded(
                key, table, try database.query(table.sql.hiddenRow), try maskedReferences(of: key), try extra(of: key))
        } catch is ContentError {
            return nil
        }
    }

    /// Shows a record that was set aside, if its table accepts it now.
    ///
    /// - Returns: `nil` where the record is shown. Otherwise the reason why its table refuses it, and nothing has changed.
    func showSetAside(_ put: [UInt8], of key: RecordKey) throws -> RowCoding.Unfit? {
        let isIrregular = try isIrregular(key)
        do {
            guard let table = layout[key.entity] else { throw RowCoding.Unfit(unknown: key.entity) }
            try RowCoding(table).withRow(put) { try write($0, to: key, in: table, .visible) }
        } catch let unfit as RowCoding.Unfit {
            return unfit
        }
        if isIrregular { try recordIrregular(key) }
        try forgetUnfit(key)
        return nil
    }

    /// Deletes the content that is set aside for a record. The journal gets the values of other programs' columns: no other
    /// device has them.
    func forgetUnfit(_ key: RecordKey) throws {
        guard occupancy.hasUnfit else { return }
        let own = UserColumns.sentence(in: try unfitReason(of: key) ?? "")
        if !own.isEmpty {
            let journal = Journal(database: database, now: Int64(clamping: try database.wallClock()))
            let time = UInt64(clamping: journal.now) << 16
            try journal.record(
                .damaged, key, stamp: HybridTimestamp(time: time, replica: .unregistered), put: try unfitPut(of: key),
                reason: "The record fits, or was replaced. The values of other programs' columns are only here.\(own)")
        }
        let query = try database.query("DELETE FROM roost_unfit WHERE entity = ? AND id = ?")
        query.bind(1, key.entity.rawValue)
        query.bind(2, key.id)
        try query.run()
    }

    func unfitPut(of key: RecordKey) throws -> [UInt8]? {
        let query = try database.query("SELECT put FROM roost_unfit WHERE entity = ? AND id = ?")
        query.bind(1, key.entity.rawValue)
        query.bind(2, key.id)
        return try query.first { $0.bytes(0) }
    }

    func unfitReason(of key: RecordKey) throws -> String? {
        let query = try database.query("SELECT reason FROM roost_unfit WHERE entity = ? AND id = ?")
        query.bind(1, key.entity.rawValue)
        query.bind(2, key.id)
        return try query.first { $0.text(0) }
    }
}
