internal import RoostModel

/// Records that were set aside and may fit now.
extension RowStore {
    /// Whether a record kept aside, of `roost_unfit AS u`, is deleted by what is confirmed, in SQL.
    static let isDeletedUnfit = """
        EXISTS (SELECT 1 FROM roost_fact AS f WHERE f.entity = u.entity AND f.id = u.id
          AND f.del_stamp > coalesce(f.put_stamp, x''))
        """

    /// Shows a record that was set aside, if its table takes it now.
    ///
    /// - Returns: Why it does not; nothing has changed then.
    func takeBack(_ put: [UInt8], of key: RecordKey) throws -> RowCoding.Unfit? {
        let isIrregular = try isIrregular(key)
        do {
            guard let table = layout[key.entity] else { throw RowCoding.Unfit(unknown: key.entity) }
            try RowCoding(table).withRow(put) { try write($0, to: key, in: table, .visible) }
        } catch let unfit as RowCoding.Unfit {
            return unfit
        }
        if isIrregular { try noteIrregular(key) }
        try forgetUnfit(key)
        return nil
    }
}
