internal import CSQLite
internal import Foundation
internal import GRDB
internal import RoostModel

/// Moves the device token out of a replica file into the file next to it, as formats up to 6 had it inside.
///
/// A program of an earlier version that has the file open may write one again; the next to open the file moves that, too.
enum TokenMove {
    static func isDue(_ database: Database) throws -> Bool {
        try database.query("SELECT EXISTS (SELECT 1 FROM roost_state WHERE name = 'token')").first { $0.integer(0) }
            == 1
    }

    /// Runs inside the transaction that brings the file to its format. The token is on the disk in its new place first. What is in the
    /// token file already is newer than what is in a file of an earlier format, which may have been put back.
    static func run(_ database: Database, _ path: String) throws {
        guard try isDue(database) else { return }
        let state = StateStore(database: database)
        let (replica, file) = (try state.replica, TokenFile(of: path))
        let entries = file.entries()
        if let token = try state.text(.token), !token.isEmpty, !entries.contains(where: { $0.replica == replica }) {
            try file.write(entries + [.init(replica: replica, token: token)], file.history())
        }
        try rewriteState(database)
        // Pages that are free, and the log, may hold it still.
        try state.set(.tokenLeft, "1")
    }

    /// Writes the pages of `roost_state` again without the token: of a cell that is only deleted, a copy may be left in a page where cells
    /// were moved.
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

/// Overwrites what is left of tokens in free pages and in the log, after ``TokenMove``.
struct TokenErasure {
    private let database: Database

    private static let bytesAtOnce = 1 << 20
    private static let blobBytes = 32 << 20
    private static let pattern = Data("roost_d_".utf8)

    /// Runs with the right to copy the log back.
    ///
    /// - Returns: Whether nothing is left to do; `false` where a reader is in the way of emptying the log.
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

    /// Whether the file holds anything that looks like a token. It is read by the connection that has it open.
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

    /// Writes zeros over all free pages: they are taken for a table, which is dropped again.
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
