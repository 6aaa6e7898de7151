import Foundation
import GRDB
import RoostModel
import RoostService
import SQLiteStore
import Testing

/// Behaviour that only a store in a file has.
@Suite struct SQLiteStoreTests {
    private static let scope = StoredScope(
        id: ScopeID(RecordID(high: 7, low: 1)), name: "Lisbon", epoch: 1, schemaVersion: 1)

    /// Overwrites bytes of a closed file.
    private static func patch(_ path: String, byte offset: Int, to bytes: [UInt8]) throws {
        let file = try FileHandle(forUpdating: URL(filePath: path))
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: Data(bytes))
        try file.close()
    }

    @Test func reopeningFindsEverything() throws {
        let path = try TemporaryFile.path()
        let store = try SQLiteStore(path: path)
        let key = try store.write { try $0.insert(Self.scope, schema: "{}") }
        try store.close()
        let again = try SQLiteStore(path: path)
        #expect(try again.read { try $0.scope(key)?.name } == "Lisbon")
    }

    @Test func newerFormatIsRefused() throws {
        let path = try TemporaryFile.path()
        try SQLiteStore(path: path).close()
        // The header has user_version at byte 60, most significant byte first.
        try Self.patch(path, byte: 60, to: [0, 0, 0, 99])
        #expect(throws: StoreError.newerFormat(found: 99, known: 4)) { try SQLiteStore(path: path) }
    }

    /// An interrupted copy is refused. SQLite itself would read the missing part of the last page as zeros, and would notice only
    /// missing pages.
    @Test(arguments: [1, 100, 4095, 4096, 9000]) func halfAFileIsRefused(missing: Int) throws {
        let path = try TemporaryFile.path()
        let store = try SQLiteStore(path: path)
        _ = try store.write { try $0.insert(Self.scope, schema: "{}") }
        try store.close()
        let file = try FileHandle(forUpdating: URL(filePath: path))
        try file.truncate(atOffset: try file.seekToEnd() - UInt64(missing))
        try file.close()
        #expect {
            try SQLiteStore(path: path)
        } throws: {
            if case StoreError.damaged = $0 { true } else { false }
        }
    }

    @Test func anotherProgramsFileIsRefused() throws {
        let path = try TemporaryFile.path()
        try SQLiteStore(path: path).close()
        // The header has application_id at byte 68.
        try Self.patch(path, byte: 68, to: [1, 2, 3, 4])
        #expect(throws: StoreError.foreignFile(path)) { try SQLiteStore(path: path) }
    }

    @Test func fileThatIsNoDatabaseIsRefused() throws {
        let path = try TemporaryFile.path()
        try Data("not a database, but long enough to be looked at as one".utf8).write(to: URL(filePath: path))
        #expect(throws: StoreError.foreignFile(path)) { try SQLiteStore(path: path) }
    }

    @Test func anotherProgramsFileIsLeftAsItWas() throws {
        let path = try TemporaryFile.path()
        try SQLiteStore(path: path).close()
        try Self.patch(path, byte: 68, to: [1, 2, 3, 4])
        // A file with a rollback journal, the default of SQLite.
        try Self.patch(path, byte: 18, to: [1, 1])
        let before = try Data(contentsOf: URL(filePath: path))
        #expect(throws: StoreError.foreignFile(path)) { try SQLiteStore(path: path) }
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }

    /// Each read sees whole commits, with more readers than connections and a concurrent writer.
    @Test func readsBesideAWriterSeeWholeCommits() async throws {
        let store = try SQLiteStore(path: TemporaryFile.path(), readers: 2)
        try store.write { transaction in
            for name in ["first", "second"] { try transaction.set(name, to: [0]) }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    for _ in 0..<100 {
                        let pair = try store.read { try ($0.setting("first"), $0.setting("second")) }
                        #expect(pair.0 == pair.1)
                    }
                }
            }
            group.addTask {
                for number in UInt8(1)...100 {
                    try store.write { transaction in
                        for name in ["first", "second"] { try transaction.set(name, to: [number]) }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try store.read { try $0.setting("second") } == [100])
    }

    @Test func nothingIsReadOnceClosed() throws {
        let store = try SQLiteStore(path: TemporaryFile.path())
        #expect(try store.read { try $0.setting("name") } == nil)
        try store.close()
        #expect(throws: StoreError.self) { try store.read { try $0.setting("name") } }
    }

    @Test func readThatThrowsLeavesTheConnectionUsable() throws {
        struct Failure: Error {}
        let store = try SQLiteStore(path: TemporaryFile.path(), readers: 1)
        for _ in 0..<3 { #expect(throws: Failure.self) { try store.read { _ in throw Failure() } } }
        #expect(try store.read { try $0.setting("name") } == nil)
    }

    @Test func readersSeeTheStateBeforeARunningWrite() throws {
        let store = try SQLiteStore(path: TemporaryFile.path())
        try store.write { transaction in
            try transaction.set("name", to: [1])
            #expect(try store.read { try $0.setting("name") } == nil)
        }
        #expect(try store.read { try $0.setting("name") } == [1])
    }

    /// Stores records of about 200 bytes under the keys 0 to `count`.
    private static func fill(_ store: SQLiteStore, _ count: Int) throws -> ScopeKey {
        try store.write { transaction in
            let scope = try transaction.insert(Self.scope, schema: "{}")
            for number in 0..<count {
                let record = StoredRecord(
                    sequence: UInt64(number + 1), author: ReplicaID(rawValue: 1),
                    message: [UInt8](repeating: 7, count: 200))
                try transaction.put(record, key(number), in: scope)
            }
            return scope
        }
    }

    private static func key(_ number: Int) -> RecordKey {
        RecordKey(entity: EntityID(1), id: RecordID(high: 1, low: UInt64(number)))
    }

    private static func empty(_ store: SQLiteStore, _ count: Int, _ scope: ScopeKey) throws {
        try store.write { transaction in
            for number in 0..<count { try transaction.remove(key(number), in: scope) }
        }
    }

    private static func size(_ path: String) throws -> Int {
        try #require(URL(filePath: path).resourceValues(forKeys: [.fileSizeKey]).fileSize)
    }

    /// The space of deleted records is returned to the file system in steps, between which other writes run. A small part is kept
    /// for the next writes.
    @Test func spaceIsGivenBackInSteps() throws {
        let path = try TemporaryFile.path()
        let store = try SQLiteStore(path: path)
        let scope = try Self.fill(store, 60_000)
        try store.close()
        let full = try Self.size(path)
        let again = try SQLiteStore(path: path)
        try Self.empty(again, 60_000, scope)
        var steps = 1
        while try again.write({ try $0.giveBackSpace() }) { steps += 1 }
        #expect(steps > 3)
        #expect(try again.read { try $0.record(Self.key(1), in: scope) } == nil)
        try again.close()
        #expect(try Self.size(path) < full / 2)
        try SQLiteBackup.check(path)
    }

    /// A file of an earlier version is rebuilt at opening once most of it is free. From then on it returns space by itself.
    @Test func fileThatCannotShrinkIsRebuilt() throws {
        let path = try TemporaryFile.path()
        try SQLiteStore(path: path).close()
        let database = try DatabaseQueue(path: path)
        try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA auto_vacuum = NONE; VACUUM") }
        try database.close()
        let store = try SQLiteStore(path: path)
        let scope = try Self.fill(store, 60_000)
        try Self.empty(store, 59_000, scope)
        #expect(try store.write { try $0.giveBackSpace() } == false)
        try store.close()
        let full = try Self.size(path)
        let again = try SQLiteStore(path: path)
        #expect(try again.read { try $0.record(Self.key(59_500), in: scope)?.message.count } == 200)
        try again.close()
        #expect(try Self.size(path) < full / 4)
        let rebuilt = try DatabaseQueue(path: path)
        #expect(try rebuilt.read { try Int.fetchOne($0, sql: "PRAGMA auto_vacuum") } == 2)
    }
}
