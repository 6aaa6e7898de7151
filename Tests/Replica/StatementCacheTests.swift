import Foundation
import GRDB
import Replica
import RoostModel
import Testing

/// A cached statement is found by its text, and has exactly that text.
@Suite struct StatementCacheTests {
    private let file: TemporaryReplica

    init() throws {
        file = try TemporaryReplica(TemporaryReplica.people)
    }

    /// The texts exceed the initial size of the cache. Some are short, and some are long and differ in one character.
    @Test func eachTextHasItsOwnStatement() throws {
        let same = String(repeating: "-", count: 100)
        let texts = (0..<400).flatMap { ["SELECT \($0)", "SELECT /*\(same)*/ \($0) /*\(same)*/"] }
        try file.replica.write("look") { transaction in
            for _ in 0..<2 {
                for (index, text) in texts.enumerated() {
                    let found = try transaction.database.query(text).first { $0.integer(0) }
                    #expect(found == Int64(index / 2), "\(text)")
                }
            }
        }
    }

    @Test func staysOfUseWhenItsTableIsAnotherOne() throws {
        func notes() throws -> [Int64] {
            try file.replica.write("look") { transaction in
                try transaction.database.query("SELECT * FROM note").all { $0.integer(0) }
            }
        }
        try file.sql("CREATE TABLE note(number); INSERT INTO note VALUES (1)")
        #expect(try notes() == [1])
        try file.sql("DROP TABLE note; CREATE TABLE note(number, text); INSERT INTO note VALUES (2, 'two')")
        #expect(try notes() == [2])
    }

    /// A refused statement is released too: SQLite closes no connection that has statements.
    @Test func keepsNoFileOpen() throws {
        #expect(throws: ReplicaError.self) {
            try file.replica.write("look") { try $0.database.query("SELECT * FROM nowhere").run() }
        }
        try file.replica.write("look") { try $0.database.query("SELECT 1").run() }
        try file.replica.close()
        file.replica = try Replica(opening: file.path)
        #expect(try file.replica.select("SELECT count(*) FROM person") == [[.integer(0)]])
    }

    /// A replica that is released without being closed leaves no file open either, at once and not only when another thread
    /// ends.
    @Test func keepsNoFileOpenUnclosed() throws {
        try file.plain.close()
        try file.replica.close()
        for _ in 0..<20 {
            do {
                let replica = try Replica(opening: file.path)
                try replica.write("look") { try $0.database.query("SELECT 1").run() }
                _ = try replica.select("SELECT count(*) FROM person")
            }
            #expect(try openFiles() == [])
        }
    }

    /// Returns this process's open descriptors of the replica's files.
    private func openFiles() throws -> [String] {
        let folder = "/proc/self/fd"
        return try FileManager.default.contentsOfDirectory(atPath: folder)
            .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)") }
            .filter { $0.hasPrefix(file.path) }
    }
}
