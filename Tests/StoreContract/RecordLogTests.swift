import Foundation
import GRDB
import RoostModel
import RoostService
import SQLiteStore
import Testing

/// The records that a store returns to a reader that has a scope up to a sequence.
@Suite struct RecordLogTests {
    private struct Refusal: Error {}

    private static func key(_ number: UInt64) -> RecordKey {
        RecordKey(entity: EntityID(1), id: RecordID(high: number, low: 1))
    }

    private static func record(_ sequence: UInt64, _ key: RecordKey) -> StoredRecord {
        StoredRecord(
            sequence: sequence, author: ReplicaID(rawValue: sequence), message: [UInt8(truncatingIfNeeded: key.id.high)]
        )
    }

    private struct Entry: Hashable, Comparable {
        let sequence: UInt64
        let message: [UInt8]

        static func < (one: Entry, other: Entry) -> Bool {
            one.sequence != other.sequence
                ? one.sequence < other.sequence : one.message.lexicographicallyPrecedes(other.message)
        }
    }

    private static func entries(in scope: ScopeKey, after sequence: UInt64, _ snapshot: any StoreSnapshot) throws
        -> [Entry]
    {
        var found: [Entry] = []
        try snapshot.forEachRecord(in: scope, after: sequence) { sequence, author, message in
            #expect(author == ReplicaID(rawValue: sequence))
            found.append(Entry(sequence: sequence, message: Array(message)))
            return true
        }
        #expect(found.map(\.sequence) == found.map(\.sequence).sorted())
        return found.sorted()
    }

    /// Records are written, rewritten and removed at random in two scopes. At each sequence a reader gets every newer record
    /// once. The log has more outdated entries than a store keeps before it compacts its log.
    @Test(arguments: StoreKind.allCases, [1, 2, 3])
    func readersGetWhatIsNewer(kind: StoreKind, seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        let store = try kind.make()
        let scopes = [ScopeKey(1), ScopeKey(2)]
        try store.write { transaction in
            for scope in scopes {
                let stored = StoredScope(
                    id: ScopeID(RecordID(high: 7, low: UInt64(scope.rawValue))), name: "Lisbon", epoch: 1,
                    schemaVersion: 1)
                let key = try transaction.insert(stored, schema: "{}")
                #expect(key == scope)
            }
        }
        var model: [ScopeKey: [RecordKey: StoredRecord]] = [:]
        for sequence in 1...UInt64(60) {
            try store.write { transaction in
                for scope in scopes {
                    for _ in 0..<Int.random(in: 0...120, using: &random) {
                        let key = Self.key(.random(in: 0..<200, using: &random))
                        if Int.random(in: 0..<20, using: &random) == 0 {
                            try transaction.remove(key, in: scope)
                            model[scope]?[key] = nil
                        } else {
                            // Some writes read the record first, as a merge does.
                            if Bool.random(using: &random) {
                                let found = try transaction.record(key, in: scope)
                                #expect(found == model[scope]?[key])
                            }
                            let record = Self.record(sequence, key)
                            try transaction.put(record, key, in: scope)
                            model[scope, default: [:]][key] = record
                        }
                    }
                }
            }
            try store.read { snapshot in
                for scope in scopes {
                    let after = UInt64.random(in: 0...sequence, using: &random)
                    let newer = (model[scope] ?? [:]).values.filter { $0.sequence > after }
                    let given = try Self.entries(in: scope, after: after, snapshot)
                    #expect(given == newer.map { Entry(sequence: $0.sequence, message: $0.message) }.sorted())
                }
            }
        }
    }

    /// A rolled back savepoint also rolls back the cached log entries of its records.
    @Test(arguments: StoreKind.allCases)
    func partTakenBackLeavesNoEntry(kind: StoreKind) throws {
        let store = try kind.make()
        let scope = ScopeKey(1)
        let key = Self.key(1)
        try store.write { transaction in
            let stored = StoredScope(id: ScopeID(RecordID(high: 7, low: 1)), name: "Lisbon", epoch: 1, schemaVersion: 1)
            _ = try transaction.insert(stored, schema: "{}")
            let refused: Void? = try? transaction.savepoint {
                try transaction.put(Self.record(1, key), key, in: scope)
                throw Refusal()
            }
            #expect(refused == nil)
            try transaction.put(Self.record(2, key), key, in: scope)
            let edit: Void? = try? transaction.savepoint {
                try transaction.put(Self.record(3, key), key, in: scope)
                throw Refusal()
            }
            #expect(edit == nil)
            try transaction.put(Self.record(4, key), key, in: scope)
        }
        let sequences = try store.read { try Self.entries(in: scope, after: 0, $0).map(\.sequence) }
        #expect(sequences == [4])
    }

    /// A record that is edited repeatedly leaves a bounded number of log entries behind.
    @Test func logDoesNotGrowWithEdits() throws {
        let path = try TemporaryFile.path()
        let store = try SQLiteStore(path: path, synchronous: .normal)
        let scope = ScopeKey(1)
        try store.write { transaction in
            let stored = StoredScope(id: ScopeID(RecordID(high: 7, low: 1)), name: "Lisbon", epoch: 1, schemaVersion: 1)
            _ = try transaction.insert(stored, schema: "{}")
            for sequence in 1...UInt64(10_000) {
                let key = Self.key(sequence % 10)
                try transaction.put(Self.record(sequence, key), key, in: scope)
            }
        }
        try store.close()
        let file = try DatabaseQueue(path: path)
        let (log, outdated) = try file.read { database in
            (
                try Int.fetchOne(database, sql: "SELECT count(*) FROM log") ?? 0,
                try Int.fetchOne(database, sql: "SELECT count(*) FROM outdated") ?? 0
            )
        }
        #expect(log == 10 + outdated)
        #expect(outdated < 4096)
    }

    /// A copy of a file without the log entry would never send the record to a reader.
    @Test func fileThatLacksAnEntryIsNotCopied() throws {
        let path = try TemporaryFile.path()
        let store = try SQLiteStore(path: path, synchronous: .normal)
        try store.write { transaction in
            let stored = StoredScope(id: ScopeID(RecordID(high: 7, low: 1)), name: "Lisbon", epoch: 1, schemaVersion: 1)
            let scope = try transaction.insert(stored, schema: "{}")
            try transaction.put(Self.record(1, Self.key(1)), Self.key(1), in: scope)
        }
        try SQLiteBackup.copy(path, to: TemporaryFile.path())
        let file = try DatabaseQueue(path: path)
        try file.write { try $0.execute(sql: "DELETE FROM log") }
        try file.close()
        let copy = try TemporaryFile.path()
        #expect(throws: StoreError.damaged("1 records have no entry in the log")) {
            try SQLiteBackup.copy(path, to: copy)
        }
        #expect(!FileManager.default.fileExists(atPath: copy))
        try store.close()
    }
}
