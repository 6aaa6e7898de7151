internal import GRDBSQLite

/// The bytes that one connection has appended to its write-ahead log and that are not yet written: a run without gaps.
///
/// A run begins with the header of a frame where the last write ended (sqlite.org/fileformat2.html, "WAL Frame Format"). It
/// is written with the page that commits, when the buffer is full, or before any other operation on the file. So it is
/// empty whenever SQLite counts a transaction as written. If a run cannot be written, the transaction cannot commit any
/// more, because SQLite counts pages as written that the file does not have.
struct LogRun {
    /// The bytes of the buffer: 31 pages of a replica with their headers, or 15 pages of a server's file. Each connection
    /// that has written keeps one.
    private static let room = 64 * 1024
    private static let headerBytes = 24

    /// Whether bytes may be held back: only if the database file is open through the shim too, which then observes the
    /// release of the write lock.
    var mayHold = false
    private var bytes: UnsafeMutableRawPointer?
    private var start: Int64 = 0
    private var count = 0
    /// The offset at which the last write ended. A write that continues there is an append by SQLite.
    private var end: Int64 = -1
    /// Whether the frame whose page comes next commits.
    private var isCommit = false
    /// The error by which bytes of this transaction were lost, and their first offset. Every later write and sync of the
    /// transaction reports it.
    private var failure = SQLITE_OK
    private var lostFrom: Int64 = 0

    /// Holds the bytes back for a later write, or writes them at once.
    mutating func write(
        _ source: UnsafeRawPointer, _ amount: Int, at offset: Int64, to file: UnsafeMutablePointer<sqlite3_file>
    ) -> Int32 {
        let isHeader = amount == Self.headerBytes
        if count > 0, offset != start + Int64(count) || count + amount > Self.room { _ = flush(to: file) }
        guard failure == SQLITE_OK else { return failure }
        defer { end = offset + Int64(amount) }
        guard mayHold, count > 0 || (isHeader && offset == end), amount <= Self.room, let bytes = reserve() else {
            return file.pointee.pMethods.pointee.xWrite(file, source, Int32(amount), offset)
        }
        if count == 0 { start = offset }
        (bytes + count).copyMemory(from: source, byteCount: amount)
        count += amount
        if isHeader {
            // The size of the database after the commit; 0 for a frame that does not commit.
            isCommit = source.loadUnaligned(fromByteOffset: 4, as: UInt32.self) != 0
            return SQLITE_OK
        }
        return isCommit ? flush(to: file) : SQLITE_OK
    }

    /// Reads from the file, after writing the bytes that are held back. Lost bytes cannot be read.
    mutating func read(
        _ out: UnsafeMutableRawPointer?, _ amount: Int32, at offset: Int64,
        from file: UnsafeMutablePointer<sqlite3_file>
    ) -> Int32 {
        let code = flush(to: file)
        guard code == SQLITE_OK || offset + Int64(amount) <= lostFrom else { return code }
        return file.pointee.pMethods.pointee.xRead(file, out, amount, offset)
    }

    /// Writes the bytes that are held back.
    ///
    /// - Returns: SQLite's result code, or the error by which bytes of this transaction were lost earlier.
    mutating func flush(to file: UnsafeMutablePointer<sqlite3_file>) -> Int32 {
        guard count > 0 else { return failure }
        let code = file.pointee.pMethods.pointee.xWrite(file, bytes, Int32(count), start)
        count = 0
        if code != SQLITE_OK { (failure, lostFrom, end) = (code, start, -1) }
        return code
    }

    /// Clears the error when the write lock is released. A transaction that has lost bytes has committed none of them, and
    /// none remain.
    mutating func endTransaction() { failure = SQLITE_OK }

    mutating func free() {
        bytes?.deallocate()
        bytes = nil
        count = 0
    }

    private mutating func reserve() -> UnsafeMutableRawPointer? {
        if bytes == nil { bytes = .allocate(byteCount: Self.room, alignment: 16) }
        return bytes
    }
}
