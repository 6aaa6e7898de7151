internal import GRDB

extension Database {
    /// Reads SQLite's clock, which the triggers read too, in milliseconds since 1970.
    func wallClock() throws -> UInt64 {
        let sql = "SELECT CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER)"
        return try query(sql).first { UInt64(clamping: $0.integer(0)) } ?? 0
    }
}
