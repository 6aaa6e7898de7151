internal import GRDBSQLite

/// Bytes that one connection has appended to its write-ahead log and that are not written yet: a run without gaps.
///
/// It begins with the header of a frame where the last write ended (sqlite.org/fileformat2.html, "WAL Frame Format"), and is
/// written with the page that commits, when there is no more room, or when anything else is done to the file. So it is
/// empty whenever SQLite counts a transaction as written. Where it cannot be written, the transaction cannot commit any
/// more: SQLite counts pages as written that are not there.
struct LogRun {
    /// Of 31 pages of a replica with their headers, or 15 of a server's file; kept by each connection that has written.
    private static let room = 64 * 1024
    private static let headerBytes = 24

    /// Whether bytes may be held back: where it is known when the lock to write is given back.
    var mayHold = false
    private var bytes: UnsafeMutableRawPointer?
    private var start: Int64 = 0
    private var count = 0
    /// Where the last write ended; where the next one continues, it is SQLite's that appends.
    private var end: Int64 = -1
    /// Whether the frame whose page comes next commits.
    private var isCommit = false
    /// Why bytes of this transaction are lost, and from where on; every later write and sync of it fails so.
    private var failure = SQLITE_OK
    private var lostFrom: Int64 = 0

    /// Takes what is to be written over, or writes it.
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
            // The size of the database after the commit, or 0.
            isCommit = source.loadUnaligned(fromByteOffset: 4, as: UInt32.self) != 0
            return SQLITE_OK
        }
        return isCommit ? flush(to: file) : SQLITE_OK
    }

    /// Reads what is in the file, and what is held; what is lost cannot be read.
    mutating func read(
        _ out: UnsafeMutableRawPointer?, _ amount: Int32, at offset: Int64,
        from file: UnsafeMutablePointer<sqlite3_file>
    ) -> Int32 {
        let code = flush(to: file)
        guard code == SQLITE_OK || offset + Int64(amount) <= lostFrom else { return code }
        return file.pointee.pMethods.pointee.xRead(file, out, amount, offset)
    }

    /// Writes what is held.
    ///
    /// - Returns: Also why bytes of this transaction were lost before.
    mutating func flush(to file: UnsafeMutablePointer<sqlite3_file>) -> Int32 {
        guard count > 0 else { return failure }
        let code = file.pointee.pMethods.pointee.xWrite(file, bytes, Int32(count), start)
        count = 0
        if code != SQLITE_OK { (failure, lostFrom, end) = (code, start, -1) }
        return code
    }

    /// The lock to write is given back: of a transaction that has lost bytes nothing has been committed, and nothing is left.
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
