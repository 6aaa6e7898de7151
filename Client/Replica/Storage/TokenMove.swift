internal import CSQLite
internal import Foundation
internal import GRDB
internal import RoostModel

/// The move of the device token out of a replica file into the file next to it. Formats up to 6 stored it in the replica file.
///
/// A program of an earlier version that has the file open may write a token again. The next program to open the file moves that
/// one, too.
enum TokenMove {
    static func isDue(_ database: Database) throws -> Bool {
        try database.query("SELECT EXISTS (SELECT 1 FROM roost_state WHERE name = 'token')").first { $0.integer(0) }
            == 1
    }

    /// Moves the token, inside the transaction that migrates the file to its format. The token is first synced to the disk in the
    /// token file.
    ///
    /// A token that is already in the token file is newer than one in a file of an earlier format, which may have been restored
    /// from a copy.
    static func run(_ database: Database, _ path: String) throws {
        guard try isDue(database) else { return }
        let state = StateStore(database: database)
        let (replica, file) = (try state.replica, TokenFile(of: path))
        let entries = file.entries()
        if let token = try state.text(.token), !token.isEmpty, !entries.contains(where: { $0.replica == replica }) {
            try file.write(entries + [.init(replica: replica, token: token)], file.history())
        }
        try rewriteState(database)
        // Free pages and the log may still contain the token.
        try state.set(.tokenLeft, "1")
    }

    /// Rewrites the pages of `roost_state` without the token. Deleting the token's cell alone may leave a copy in a page where
    /// cells were moved.
    private static func rewriteState(_ database: Database) throws {
        let rows = try Row.fetchAll(database, sql: "SELECT name, value FROM roost_state WHERE name <> 'token'")
        try database.execute(sql: "DELETE FROM roost_state")
        for row in rows {
            let (name, value): (String, DatabaseValue) = (row[0], row[1])
            try database.execute(
                sql: "INSERT INTO roost_state(name, value) VALUES (?, ?)", arguments: [name, value])
        }
    }
}

/// The erasure of remains of tokens in free pages and in the log, after ``TokenMove``.
struct TokenErasure {
    private let database: Database

    private static let bytesAtOnce = 1 << 20
    private static let blobBytes = 32 << 20
    private static let pattern = Data("roost_d_".utf8)

    /// Erases remains of tokens. The caller must hold the right to checkpoint the WAL.
    ///
    /// - Returns: Whether nothing is left to do; `false` where a reader prevents emptying the log.
    static func run(_ engine: DatabaseQueue) throws -> Bool {
        try engine.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA busy_timeout = 0; PRAGMA secure_delete = ON")
            defer {
                try? database.execute(sql: "PRAGMA secure_delete = FAST")
                try? database.executeOne("PRAGMA busy_timeout = \(ReplicaFile.busySeconds * 1000)")
            }
            let erasure = TokenErasure(database: database)
            guard try erasure.emptiesLog() else { return false }
            if erasure.isTokenLeft {
                try erasure.fillFreePages()
                guard try erasure.emptiesLog() else { return false }
            }
            try StateStore(database: database).set(.tokenLeft, .null)
            return true
        }
    }

    private func emptiesLog() throws -> Bool {
        try Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)").map { ($0[0] as Int?) == 0 } ?? false
    }

    /// Whether the file contains anything that looks like a token. The file is read through the connection that has it open.
    private var isTokenLeft: Bool {
        guard let handle = database.sqliteConnection, let file = csqlite_database_file(handle) else { return true }
        let size = csqlite_file_size(file)
        var (place, carried): (Int64, Data) = (0, Data())
        while place < size {
            let count = Int(min(Int64(Self.bytesAtOnce), size - place))
            var bytes = Data(count: count)
            let isRead = bytes.withUnsafeMutableBytes { csqlite_file_read(file, $0.baseAddress, Int32(count), place) }
            guard isRead != 0 else { return true }
            let block = carried + bytes
            if block.range(of: Self.pattern) != nil { return true }
            carried = Data(block.suffix(Self.pattern.count - 1))
            place += Int64(count)
        }
        return false
    }

    /// Overwrites all free pages with zeros. A table takes the pages and is then dropped.
    private func fillFreePages() throws {
        try database.inTransaction(.immediate) {
            let free = try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0
            let pageBytes = try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 0
            try database.execute(sql: "CREATE TABLE roost_erasing(zeros BLOB)")
            var rest = (free + 1) * pageBytes
            while rest > 0 {
                try database.execute(
                    sql: "INSERT INTO roost_erasing VALUES (zeroblob(?))", arguments: [min(rest, Self.blobBytes)])
                rest -= Self.blobBytes
            }
            try database.execute(sql: "DROP TABLE roost_erasing")
            return .commit
        }
    }
}
