package import GRDB
internal import GRDBSQLite

/// The beginning of a database's file.
package enum FileBeginning: Hashable, Sendable {
    /// The file has no bytes.
    case empty
    /// The file ends within its header, or its header is zeros: it was copied in part.
    case partial
    /// Any other beginning: SQLite itself detects corruption.
    case readable
}

extension Database {
    /// Whether the database's file ends within a page, and no log can contain the rest of that page: a copy of the file was
    /// interrupted there. SQLite reads the rest of the page as zeros.
    ///
    /// SQLite reports a file that was cut at an earlier page as corrupt as soon as it opens the file.
    package func endsWithinPage() throws -> Bool {
        guard let size = fileSize(SQLITE_FCNTL_FILE_POINTER), fileSize(SQLITE_FCNTL_JOURNAL_POINTER) ?? 0 == 0,
            let page = try Int64.fetchOne(self, sql: "PRAGMA page_size"), page > 0
        else { return false }
        return size % page != 0
    }

    /// Classifies the beginning of the file without letting SQLite read it. SQLite takes an empty file for a database
    /// without tables, and deletes the log next to it.
    package func beginning() -> FileBeginning {
        guard let size = fileSize(SQLITE_FCNTL_FILE_POINTER), let file = file(SQLITE_FCNTL_FILE_POINTER),
            let read = file.pointee.pMethods?.pointee.xRead
        else { return .readable }
        guard size > 0 else { return .empty }
        var header = [UInt8](repeating: 0, count: Int(min(size, 100)))
        guard read(file, &header, Int32(header.count), 0) == SQLITE_OK else { return .readable }
        if header.allSatisfy({ $0 == 0 }) { return .partial }
        let magic = Array("SQLite format 3\0".utf8)
        return header.count < 100 && header.prefix(magic.count).elementsEqual(magic.prefix(header.count))
            ? .partial : .readable
    }

    /// Returns the bytes of the file, or of its log, as the connection has it open; `nil` where there is no such file, as
    /// for a database in memory.
    private func fileSize(_ which: Int32) -> Int64? {
        guard let file = file(which), let size = file.pointee.pMethods?.pointee.xFileSize else { return nil }
        var bytes: sqlite3_int64 = 0
        return size(file, &bytes) == SQLITE_OK ? bytes : nil
    }

    private func file(_ which: Int32) -> UnsafeMutablePointer<sqlite3_file>? {
        guard let connection = sqliteConnection else { return nil }
        var file: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(connection, "main", which, &file)
        return file
    }
}
