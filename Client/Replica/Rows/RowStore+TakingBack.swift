internal import RoostModel

/// Records that were set aside and may fit now.
extension RowStore {
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
