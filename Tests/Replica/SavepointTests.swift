import CSQLite
import Foundation
import GRDB
import Testing

@testable import Replica

/// SQLite 3.40 may leave a WAL that it cannot read after a crash (decision 133). This happens if the cache was too small, so
/// that a page of a savepoint was written to the WAL twice, and the savepoint is rolled back.
@Suite struct SavepointTests {
    private struct Refused: Error {}

    /// Writes more than the cache holds, and then a page of it again.
    private static let much = "INSERT INTO t VALUES (1, randomblob(40000)); REPLACE INTO t VALUES (1, randomblob(4000))"

    /// - Parameter body: The work in a transaction that ends with one more row.
    /// - Returns: The number of rows in the file, and in a copy of the files as a crash leaves them.
    private func rowsAfterACrash(_ body: (Database) throws -> Void) throws -> (rows: Int?, crashed: Int?) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "roost-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (path, copy) = (folder.appending(path: "file.sqlite").path, folder.appending(path: "copy.sqlite").path)
        let file = try DatabaseQueue(path: path)
        try file.writeWithoutTransaction { database in
            try database.execute(
                sql: "PRAGMA journal_mode = WAL; PRAGMA cache_size = 8; CREATE TABLE t(n INTEGER PRIMARY KEY, x)")
            try? database.inOneTransaction(.immediate) { database in
                try body(database)
                try database.execute(sql: "INSERT INTO t VALUES (9, randomblob(8000))")
            }
        }
        for suffix in ["", "-wal"] { try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix) }
        let count = { (queue: DatabaseQueue) in try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } }
        return (try count(file), try count(DatabaseQueue(path: copy)))
    }

    /// Shows the defect itself, which the other tests avoid. If SQLite no longer has it, they are obsolete.
    @Test func savepointThatIsTakenBackLosesTheCommit() throws {
        guard sqlite3_libversion_number() < 3_041_000 else { return }
        let (rows, crashed) = try rowsAfterACrash { database in
            try database.execute(sql: "SAVEPOINT s; \(Self.much); ROLLBACK TO s; RELEASE s")
        }
        #expect(rows == 1)
        #expect(crashed == nil || crashed == 0)
    }

    @Test func savepointInMemoryIsTakenBack() throws {
        let (rows, crashed) = try rowsAfterACrash { database in
            try database.keepingChangesInMemory {
                try database.execute(sql: "SAVEPOINT s; \(Self.much); ROLLBACK TO s; RELEASE s")
            }
        }
        #expect(rows == 1)
        #expect(crashed == 1)
    }

    /// If its savepoint cannot be rolled back, the whole transaction is.
    @Test func aTransactionIsTakenBackWhereItsSavepointCannotBe() throws {
        let (rows, crashed) = try rowsAfterACrash { database in
            _ = try database.unlessItFails {
                try database.execute(sql: Self.much)
                throw Refused()
            }
        }
        #expect(rows == 0)
        #expect(crashed == 0)
    }

    @Test func onlyASmallSavepointIsTakenBack() throws {
        let (rows, crashed) = try rowsAfterACrash { database in
            let result: Void? = try database.unlessItFails {
                try database.execute(sql: "INSERT INTO t VALUES (1, 'x')")
                throw Refused()
            }
            #expect(result == nil)
        }
        #expect(rows == 1)
        #expect(crashed == 1)
    }
}
