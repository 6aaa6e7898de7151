internal import GRDBSQLite

/// Bytes that one connection has appended to its write-ahead log and that are not written yet: a run without gaps.
///
/// It begins with the header of a frame where the last write ended (sqlite.org/fileformat2.html, "WAL Frame Format"), and is
/// written with the page that commits, when there is no more room, or when anything else is done to the file. So it is
/// empty whenever SQLite counts a transaction as written. A run that could not be written is given up, as is the
/// transaction: SQLite is told.
struct LogRun {
    /// Of 31 pages of a replica with their headers, or 15 of a server's file; kept by each connection that has written.
    private static let room = 64 * 1024
    private static let headerBytes = 24

    private var bytes: UnsafeMutableRawPointer?
    private var start: Int64 = 0
    private var count = 0
    /// Where the last write ended; where the next one continues, it is SQLite's that appends.
    private var end: Int64 = -1
    /// Whether the frame whose page comes next commits.
    private var isCommit = false
    /// Why a run was given up where nobody could be told: the next who writes is.
    private var failure = SQLITE_OK

    /// Takes what is to be written over, or writes it.
    mutating func write(
        _ source: UnsafeRawPointer, _ amount: Int, at offset: Int64, to file: UnsafeMutablePointer<sqlite3_file>
    ) -> Int32 {
        let isHeader = amount == Self.headerBytes
        if count > 0, offset != start + Int64(count) || count + amount > Self.room {
            let code = flush(to: file)
            guard code == SQLITE_OK else { return code }
        }
        guard failure == SQLITE_OK else { return takeFailure() }
        defer { end = offset + Int64(amount) }
        guard count > 0 || (isHeader && offset == end), amount <= Self.room, let bytes = reserve() else {
            return file.pointee.pMethods.pointee.xWrite(file, source, Int32(amount), offset)
        }
        if count == 0 { start = offset }
        (bytes + count).copyMemory(from: source, byteCount: amount)
        count += amount
        if isHeader {
            // The size of the database after the commit, or 0.
            isCommit = source.loadUnaligned(fromByteOffset: 4, as: UInt32.self) != 0
            return SQLITE_OK
        }
        return isCommit ? flush(to: file) : SQLITE_OK
    }

    /// Writes what is held.
    mutating func flush(to file: UnsafeMutablePointer<sqlite3_file>) -> Int32 {
        guard count > 0 else { return SQLITE_OK }
        let code = file.pointee.pMethods.pointee.xWrite(file, bytes, Int32(count), start)
        count = 0
        if code != SQLITE_OK { end = -1 }
        return code
    }

    /// Writes what is held where no error can be returned.
    mutating func flushSilently(to file: UnsafeMutablePointer<sqlite3_file>) {
        let code = flush(to: file)
        if code != SQLITE_OK { failure = code }
    }

    mutating func free() {
        bytes?.deallocate()
        bytes = nil
        count = 0
    }

    private mutating func takeFailure() -> Int32 {
        defer { failure = SQLITE_OK }
        return failure
    }

    private mutating func reserve() -> UnsafeMutableRawPointer? {
        if bytes == nil { bytes = .allocate(byteCount: Self.room, alignment: 16) }
        return bytes
    }
}
