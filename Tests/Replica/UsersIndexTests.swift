import CSQLite
import GRDB
import Replica
import RoostModel
import TestScope
import Testing

/// A user's index may refuse values that the schema allows. A refused record is kept and reported, nothing is lost, and all
/// else continues.
@Suite struct UsersIndexTests {
    private let file: TemporaryReplica

    init() throws {
        file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql("CREATE UNIQUE INDEX own_amount ON spending(amount)")
    }

    /// The rows come in one page and in small ones.
    @Test(arguments: [1000, 100]) func aRefusedRowIsSetAsideAlone(atOnce: Int) throws {
        let numbers = 1...1000
        try apply(numbers.map { Self.spending($0, 1, amount: $0 == 300 ? 20 : $0) }, atOnce)
        #expect(try spendings() == numbers.count - 1)
        #expect(try reasons() == ["UNIQUE constraint failed: spending.amount"])
        // A freed value may be taken by a record that is later in the order of keys.
        try apply(numbers.map { Self.spending($0, 2, amount: $0 == 300 ? 20 : $0 == 20 ? 5000 : $0) }, atOnce)
        #expect(try spendings() == numbers.count)
        #expect(try reasons() == [])
    }

    /// The edit leaves the references unchanged.
    @Test(arguments: [1000, 100]) func aRefusedEditIsSetAsideAlone(atOnce: Int) throws {
        let numbers = 1...1000
        try apply(numbers.map { Self.spending($0, 1, amount: $0) }, atOnce)
        try apply(numbers.map { Self.spending($0, 2, amount: $0 == 300 ? 20 : $0, content: "later") }, atOnce)
        #expect(try spendings() == numbers.count - 1)
        #expect(try file.count("SELECT count(*) FROM spending WHERE content = 'later'") == numbers.count - 1)
        #expect(try reasons() == ["UNIQUE constraint failed: spending.amount"])
    }

    /// A deleted record that a deny rule keeps and an index refuses is not deleted: other devices show it.
    @Test func aKeptRecordThatIsRefusedIsCounted() throws {
        let scope = MemoryScope()
        let other = try TemporaryReplica(TemporaryReplica.people, id: 2)
        try file.sql("CREATE UNIQUE INDEX own_name ON person(name)")
        _ = try file.replica.status()
        try file.sql(
            """
            INSERT INTO person(id, name) VALUES (x'\(String(repeating: "11", count: 16))', 'Ana');
            INSERT INTO spending(content, amount, guarantor) SELECT 'boat', 1, id FROM person;
            """)
        for replica in [file, other] { try scope.synchronise(replica.replica) }
        try file.sql("INSERT OR REPLACE INTO person(name) VALUES ('Ana')")
        for replica in [file, other, file, other] { try scope.synchronise(replica.replica) }
        #expect(try other.replica.status().kept == 1)
        #expect(try other.count("SELECT count(*) FROM person") == 2)
        #expect(try file.count("SELECT count(*) FROM person") == 1)
        #expect(try file.replica.status().unfit == 1)
        let entries = try file.replica.journal().filter { $0.outcome == .unfit }
        #expect(entries.count == 1 && !entries[0].reason.contains("deleted"))
        #expect(try file.replica.digest() == other.replica.digest())
    }

    /// One row of each table was deleted without a trigger, and then another program creates an index. None of them counts as
    /// deleted.
    @Test func rowsThatGoFromTwoTablesAreMissing() throws {
        let scope = MemoryScope()
        let other = try TemporaryReplica(TemporaryReplica.people, id: 2)
        try file.sql("INSERT INTO person(name) VALUES ('Ana'); INSERT INTO spending(content, amount) VALUES ('tea', 1)")
        for replica in [file, other] { try scope.synchronise(replica.replica) }
        try file.plain.writeWithoutTransaction { database in
            _ = csqlite_enable_triggers(try #require(database.sqliteConnection), 0)
            try database.execute(sql: "DELETE FROM person; DELETE FROM spending")
        }
        try file.sql("CREATE INDEX one ON person(name); CREATE INDEX two ON spending(content)")
        for replica in [file, other] { try scope.synchronise(replica.replica) }
        #expect(try file.replica.status().missing == 2)
        #expect(try other.count("SELECT (SELECT count(*) FROM person) + (SELECT count(*) FROM spending)") == 2)
    }

    /// The index is over an expression that fails for some content.
    @Test func whatAnIndexCannotComputeIsSetAside() throws {
        try file.sql("CREATE INDEX own_json ON spending(json(content))")
        try apply([1, 2, 3].map { Self.spending($0, 1, amount: $0, content: $0 == 2 ? "no JSON" : "[]") }, 100)
        #expect(try spendings() == 2)
        #expect(try reasons() == ["malformed JSON"])
    }

    /// A row comes back with its cascade parent while another row has its amount; with few rows and with many.
    @Test(arguments: [3, 500, 3000]) func whatCannotComeBackIsSetAside(count: Int) throws {
        let key = RecordKey(entity: EntityID(2), id: RecordID(high: 0, low: 2))
        try apply([Self.person(1)] + (1...count).map { Self.spending($0, 1, amount: $0, person: 1) }, 5000)
        let content = try file.replica.content(of: key)
        try apply([Self.person(1, deleted: 5)], 1)
        #expect(try spendings() == 0)
        try apply([Self.spending(count + 1, 6, amount: 2)], 1)
        try apply([Self.person(7, deleted: 5)], 1)

        #expect(try spendings() == count)
        #expect(try reasons() == ["UNIQUE constraint failed: spending.amount"])
        #expect(try file.replica.content(of: key) == content)
        #expect(try file.replica.status().unfit == 1)
        // An edit that fits shows the record again.
        try apply([Self.spending(2, 8, amount: 10_000, person: 1)], 1)
        #expect(try spendings() == count + 1)
        #expect(try file.replica.check().isSound)
    }

    /// If the user names the record to be undeleted, an error is thrown. The record stays deleted even if the transaction
    /// continues.
    @Test func anUndeleteThatCannotBeIsRefused() throws {
        try apply([Self.person(1)] + (1...3).map { Self.spending($0, 1, amount: $0, person: 1) }, 10)
        let spending = RecordID(high: 0, low: 2)
        func undelete() throws { try file.replica.write("undelete") { try $0.undelete("Spending", id: spending) } }
        try file.replica.write("delete") { try $0.delete("Spending", id: spending) }
        try file.sql("INSERT INTO spending(content, amount) VALUES ('other', 2)")
        let error = #expect(throws: ReplicaError.self) { try undelete() }
        #expect(error?.code == .invalidValue)
        #expect(error?.message.contains("UNIQUE constraint failed: spending.amount") == true)
        try file.replica.write("undelete") { try? $0.undelete("Spending", id: spending) }
        #expect(try file.count("SELECT count(*) FROM roost_hidden_spending WHERE roost_deleted = 1") == 1)
        try file.sql("DELETE FROM spending WHERE content = 'other'")
        try undelete()
        #expect(try spendings() == 3)
        #expect(try file.replica.check().isSound)
    }

    /// A record that would come back with the undeleted one, and is refused, is set aside as on every other device with such
    /// an index. It is visible after the conflicting row is gone.
    @Test(arguments: [3, 500, 3000]) func whatCannotComeBackWithAnUndeleteIsSetAside(count: Int) throws {
        try apply([Self.person(1)] + (1...count).map { Self.spending($0, 1, amount: $0, person: 1) }, 5000)
        let person = RecordID(high: 0, low: 1)
        try file.replica.write("delete") { try $0.delete("Person", id: person) }
        try apply([Self.spending(count + 1, 6, amount: 2)], 1)
        try file.replica.write("undelete") { try $0.undelete("Person", id: person) }
        #expect(try spendings() == count)
        #expect(try file.replica.status().unfit == 1)
        try apply([Self.spending(count + 1, 7, amount: 10_000)], 1)
        #expect(try spendings() == count + 1)
        #expect(try file.replica.status().unfit == 0)
        #expect(try file.replica.check().isSound)
    }

    /// In one page, one record is deleted and another takes its value; and two records swap their values.
    @Test func whatIsFreedInAPageIsTaken() throws {
        try apply([Self.spending(1, 1, amount: 1), Self.spending(5, 1, amount: 5), Self.spending(6, 1, amount: 6)], 10)
        var gone = Self.spending(1, 1, amount: 1)
        gone.delete = Self.stamp(3)
        try apply([Self.spending(2, 3, amount: 1), gone], 10)
        #expect(try file.texts("SELECT hex(id) || amount FROM spending WHERE amount = 1").count == 1)
        try apply([Self.spending(5, 4, amount: 6), Self.spending(6, 4, amount: 5)], 10)
        #expect(try spendings() == 3)
        #expect(try reasons() == [])
        #expect(try file.replica.check().isSound)
    }

    /// A reference is masked while its target is deleted. An index may refuse the masked or the restored value.
    @Test func referencesThatAnIndexRefusesAreSetAside() throws {
        try file.sql(
            """
            CREATE UNIQUE INDEX own_nil ON spending(content) WHERE approver IS NULL;
            CREATE UNIQUE INDEX own_approver ON spending(approver, day) WHERE approver IS NOT NULL
            """)
        try apply([Self.person(1), Self.person(1, number: 2)], 10)
        try apply([1, 2].map { Self.spending($0, 1, amount: $0, approver: UInt64($0)) }, 10)
        #expect(try spendings() == 2)
        // Both references would be masked, and both spendings are called "tea".
        try apply([Self.person(1, deleted: 5), Self.person(1, number: 2, deleted: 5)], 10)
        #expect(try spendings() == 1)
        #expect(try reasons() == ["UNIQUE constraint failed: spending.content"])
        try apply([Self.person(7), Self.person(7, number: 2)], 10)
        #expect(try spendings() == 2)
        #expect(try reasons() == [])
        #expect(try file.count("SELECT count(*) FROM spending WHERE approver IS NOT NULL") == 2)

        // Two spendings with masked references get equal days.
        try apply([Self.person(7, deleted: 8)], 10)
        try apply(
            [3, 4].map { Self.spending($0, 9, amount: $0, content: "\($0)", approver: 1, day: "2026-01-01") }, 10)
        #expect(try spendings() == 4)
        try apply([Self.person(10)], 10)
        #expect(try spendings() == 3)
        #expect(try reasons() == ["UNIQUE constraint failed: spending.approver, spending.day"])
        #expect(try file.replica.check().isSound)
    }

    /// A shell brings back a row that an index refuses: the next program to open the file settles it.
    @Test func aPlainInsertDoesNotShutTheFile() throws {
        try file.sql("CREATE UNIQUE INDEX own_approver ON spending(approver, day)")
        try apply([Self.person(1)], 10)
        try apply([Self.person(1, deleted: 5)], 10)
        try apply([3, 4].map { Self.spending($0, 6, amount: $0, approver: 1, day: "2026-01-01") }, 10)
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        try file.replica.close()
        file.replica = try Replica(opening: file.path, durability: .normal)
        try file.replica.settle()
        #expect(try spendings() == 1)
        #expect(try file.replica.status().unfit == 1)
    }

    // MARK: Helpers

    private func apply(_ states: [RecordState], _ atOnce: Int) throws {
        for start in stride(from: 0, to: states.count, by: atOnce) {
            let page = Array(states[start..<min(start + atOnce, states.count)])
            _ = try file.replica.apply(page, checkpoint: nil, serverTime: nil)
        }
    }

    private func spendings() throws -> Int { try file.count("SELECT count(*) FROM spending") }
    private func reasons() throws -> [String] { try file.texts("SELECT reason FROM roost_unfit") }

    private static func stamp(_ time: UInt64) -> HybridTimestamp {
        HybridTimestamp(milliseconds: time, counter: 0, replica: ReplicaID(rawValue: 9))
    }

    private static func spending(
        _ number: Int, _ time: UInt64, amount: Int, content: String = "tea", person: UInt64? = nil,
        approver: UInt64? = nil,
        day: String? = nil
    ) -> RecordState {
        var all: [ContentCoding.Field] = [
            .init(property: PropertyID(1), value: .string(content)),
            .init(property: PropertyID(2), value: .integer(Int64(amount))),
        ]
        if let day { all.append(.init(property: PropertyID(3), value: .string(day))) }
        let fields = ContentCoding.encode(all)
        let references = [(8, person), (9, approver)].compactMap { relationship, target in
            target.map { Put.Reference(relationship: PropertyID(relationship), target: RecordID(high: 0, low: $0)) }
        }
        return RecordState(
            key: RecordKey(entity: EntityID(2), id: RecordID(high: 0, low: UInt64(number))),
            put: .init(
                stamp: stamp(time), base: nil, encoded: Put(references: references, content: fields).encoded()),
            delete: nil)
    }

    /// Returns a person with a put at some time.
    private static func person(_ time: UInt64, number: UInt64 = 1, deleted: UInt64? = nil) -> RecordState {
        let content = ContentCoding.encode([.init(property: PropertyID(1), value: .string("Ana"))])
        return RecordState(
            key: RecordKey(entity: EntityID(1), id: RecordID(high: 0, low: number)),
            put: .init(stamp: stamp(time), base: nil, encoded: Put(content: content).encoded()),
            delete: deleted.map(stamp))
    }
}
