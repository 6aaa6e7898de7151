import Foundation
import GRDB
import RoostModel
import RoostProtocol
import RoostService
import SQLiteStore
import Testing

/// Files written by earlier versions of the server.
@Suite struct StoreUpgradeTests {
    private static func file(format: Int) throws -> String {
        let sql = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Formats/format-\(format).sql")
        let path = try TemporaryFile.path()
        let database = try DatabaseQueue(path: path)
        try database.writeWithoutTransaction { try $0.execute(sql: String(contentsOf: sql, encoding: .utf8)) }
        try database.close()
        return path
    }

    private static func version(_ path: String) throws -> Int? {
        let database = try DatabaseQueue(path: path)
        defer { try? database.close() }
        return try database.read { try Int.fetchOne($0, sql: "PRAGMA user_version") }
    }

    /// Returns the columns of all tables except SQLite's own, to compare two files.
    private static func columns(_ path: String) throws -> [String] {
        let database = try DatabaseQueue(path: path)
        defer { try? database.close() }
        return try database.read { database in
            let tables = try String.fetchAll(
                database, sql: "SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY name")
            return try tables.map { table in
                let rows = try Row.fetchAll(database, sql: "PRAGMA table_xinfo(\(table))")
                return table
                    + rows.map { " \($0["name"] as String):\($0["type"] as String):\($0["pk"] as Int)" }.joined()
            }
        }
    }

    @Test func fileOfFormat1KeepsEverything() throws {
        let store = try SQLiteStore(path: Self.file(format: 1))
        let key = ScopeKey(1)
        try store.read { snapshot in
            let scope = try #require(try snapshot.scope(key))
            #expect(scope.head.sequence == 5)
            #expect(scope.head.records == 3)
            #expect(scope.head.digest == ScopeDigest("74037f4fc6c361269213c16cc4fbf0a4"))
            #expect(scope.past == ScopePast())
            #expect(try snapshot.chain(at: 5, in: key) == scope.head.shortChain)
            var states: [RecordState] = []
            try snapshot.forEachRecord(in: key, after: 0) { _, _, message in
                states.append(try RecordState(protobuf: Array(message)))
                return true
            }
            var digest = ScopeDigest()
            for state in states { digest.replace(SlotStamps(), with: state.stamps, of: state.key) }
            #expect(digest == scope.head.digest)
        }
    }

    /// Format 1 has no positions of replicas, so its replicas hold back purges until they pull.
    @Test func replicasOfFormat1AreTakenToHaveNothing() throws {
        let store = try SQLiteStore(path: Self.file(format: 1))
        let replicas = try store.read { try $0.replicas(of: ScopeKey(1)) }
        #expect(replicas.map(\.cursor) == [0, 0])
        #expect(replicas.map(\.pulled) == replicas.map(\.lastSeen))
    }

    @Test(arguments: 1...3) func upgradedFileKeepsItsLog(format: Int) throws {
        let store = try SQLiteStore(path: Self.file(format: format))
        let scope = ScopeKey(1)
        func sequences(after sequence: UInt64) throws -> [UInt64] {
            var found: [UInt64] = []
            try store.read { snapshot in
                try snapshot.forEachRecord(in: scope, after: sequence) { sequence, _, _ in
                    found.append(sequence)
                    return true
                }
            }
            return found
        }
        #expect(try sequences(after: 0) == [2, 4, 5])
        #expect(try sequences(after: 2) == [4, 5])
        try store.write { transaction in
            let key = RecordKey(
                entity: EntityID(1), id: RecordID(high: 0x0189_0000_0000_7000, low: 0x8000_0000_0000_0001))
            var record = try #require(try transaction.record(key, in: scope))
            record.sequence = 6
            try transaction.put(record, key, in: scope)
        }
        #expect(try sequences(after: 0) == [4, 5, 6])
    }

    @Test(arguments: 1...3) func upgradedFileIsLikeANewOne(format: Int) throws {
        let (old, new) = (try Self.file(format: format), try TemporaryFile.path())
        try SQLiteStore(path: old).close()
        try SQLiteStore(path: new).close()
        #expect(try Self.columns(old) == Self.columns(new))
        #expect(try Self.version(old) == Self.version(new))
    }

    @Test func upgradeThatFailsLeavesTheFileAsItWas() throws {
        let path = try Self.file(format: 1)
        let database = try DatabaseQueue(path: path)
        // The last table of the upgrade exists already, so the last step fails.
        try database.writeWithoutTransaction { try $0.execute(sql: "CREATE TABLE purged(x)") }
        try database.close()
        #expect(throws: StoreError.self) { try SQLiteStore(path: path) }
        #expect(try Self.version(path) == 1)
        #expect(try !Self.columns(path).contains { $0.contains("ended_epochs") })
    }

    /// The salts of answers gave tokens together with the server's secret, so an upgrade removes them from the bytes of the file.
    @Test func saltsOfAnswersAreOverwritten() throws {
        let path = try Self.file(format: 3)
        let salts = [
            Hex.decode("C4E26F56E202FA1BBF1E23E56FA0533C".utf8), Hex.decode("00835949F82772BC5EB788CCD57E0DB3".utf8),
        ]
        let before = Array(try Data(contentsOf: URL(filePath: path)))
        #expect(salts.allSatisfy { before.firstRange(of: $0 ?? []) != nil })
        try SQLiteStore(path: path).close()
        // A checkpoint moves the content of the WAL into the file.
        let database = try DatabaseQueue(path: path)
        _ = try database.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        try database.close()
        let after = Array(try Data(contentsOf: URL(filePath: path)))
        #expect(salts.allSatisfy { after.firstRange(of: $0 ?? []) == nil })
    }

    /// Format 3 recorded neither the renewals of a replica nor the creator of an invite.
    @Test func replicasOfFormat3AreDevicesOfTheirOwn() throws {
        let store = try SQLiteStore(path: Self.file(format: 3))
        let replicas = try store.read { try $0.replicas(of: ScopeKey(1)) }
        #expect(replicas.count == 2)
        #expect(replicas.allSatisfy { $0.device == $0.id && $0.inviter == nil })
        #expect(try store.read { try $0.invites(of: ScopeKey(1)).map(\.creator) } == [nil])
    }

    @Test func anEarlierVersionOfASchemaIsNotKept() throws {
        let path = try TemporaryFile.path()
        let store = try SQLiteStore(path: path)
        let scope = try store.write { transaction in
            let scope = try transaction.insert(
                StoredScope(id: ScopeID(RecordID(high: 7, low: 1)), name: "x", epoch: 1, schemaVersion: 1),
                schema: "first")
            for version in 2...200 { try transaction.publish("text \(version)", version: version, in: scope) }
            return scope
        }
        #expect(try store.read { try $0.schema(of: scope) } == "text 200")
        try store.close()
        let database = try DatabaseQueue(path: path)
        #expect(try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM schema") } == 1)
    }
}
