internal import GRDB

/// SQLite's clock, which triggers and statements read, as SQL expressions.
enum SQLClock {
    /// The present as a Julian day, the form in which a mark stores it.
    static let julianDay = "julianday('now')"

    /// Milliseconds since 1970 of a Julian day. 2440587.5 is 1970-01-01 00:00.
    static func milliseconds(of julianDay: String) -> String {
        "CAST(round((\(julianDay) - 2440587.5) * 86400000.0) AS INTEGER)"
    }

    /// The reading of the hybrid clock for a change that is made at a Julian day, with `roost_control` as `c`: milliseconds with the
    /// learned offset in the upper 48 bits, and greater than all earlier readings.
    static func reading(at julianDay: String) -> String {
        "max((\(milliseconds(of: julianDay)) + c.clock_offset) << 16, c.reading + 1)"
    }
}

extension Database {
    /// Reads SQLite's clock in milliseconds since 1970.
    func wallClock() throws -> UInt64 {
        let sql = "SELECT \(SQLClock.milliseconds(of: SQLClock.julianDay))"
        return try query(sql).first { UInt64(clamping: $0.integer(0)) } ?? 0
    }
}
