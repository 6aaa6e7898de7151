package import GRDB
internal import GRDBSQLite

extension Database {
    /// Whether the database's file ends within a page, and no log may have the rest of it: a copy of it broke off there. SQLite reads the
    /// rest of the page as zeros.
    ///
    /// A file that broke off at an earlier page is damaged for SQLite as soon as it is opened.
    package func endsWithinPage() throws -> Bool {
        guard let size = fileSize(SQLITE_FCNTL_FILE_POINTER), fileSize(SQLITE_FCNTL_JOURNAL_POINTER) ?? 0 == 0,
            let page = try Int64.fetchOne(self, sql: "PRAGMA page_size"), page > 0
        else { return false }
        return size % page != 0
    }

    /// Bytes of the file, or of its log, as the connection has it open; `nil` where there is none, as of a database in memory.
    private func fileSize(_ which: Int32) -> Int64? {
        guard let connection = sqliteConnection else { return nil }
        var file: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(connection, "main", which, &file)
        guard let file, let size = file.pointee.pMethods?.pointee.xFileSize else { return nil }
        var bytes: sqlite3_int64 = 0
        return size(file, &bytes) == SQLITE_OK ? bytes : nil
    }
}
