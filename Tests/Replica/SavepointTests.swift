import CSQLite
import Foundation
import GRDB
import Testing

@testable import Replica

/// SQLite 3.40 leaves a log that it cannot read back after a crash, where it had written a page of a savepoint twice into it for want of
/// room, and the savepoint is rolled back (decision 133).
@Suite struct SavepointTests {
    private struct Refused: Error {}

    /// Writes more than the cache holds, and a page of it again.
    private static let much = "INSERT INTO t VALUES (1, randomblob(40000)); REPLACE INTO t VALUES (1, randomblob(4000))"

    /// - Parameter body: Works in a transaction that ends with one more row.
    /// - Returns: How many rows there are, and how many in a copy of the files as a crash leaves them.
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

    /// The fault itself, which the others are to keep away from; where SQLite has it no more, they are of no use.
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

    /// Nothing of the transaction stays where its savepoint cannot be rolled back.
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
