import Replica
import RoostModel
import RoostProtocol
import TestScope
import Testing

/// A connection that has the settled state cached searches the outbox only after a possible write that the cache does not
/// cover.
///
/// In builds with assertions, every test also checks the cached state.
@Suite struct SettledOutboxTests {
    private static let person = RecordID(high: 0, low: 1)
    private static let shown = "SELECT count(*) FROM spending"
    private let file: TemporaryReplica

    /// Makes a hundred pending people, and one person whose delete hides a spending.
    init() throws {
        file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
            INSERT INTO person(name) SELECT 'person ' || i FROM n;
            INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana');
            INSERT INTO spending(id, content, person) VALUES (\(id(2)), 'Dinner', \(id(1)))
            """)
        try file.replica.write("delete") { try $0.delete("Person", id: Self.person) }
        #expect(try file.count(Self.shown) == 0)
    }

    /// Inserts Ana as a program without Roost's code does. The next settling has to show the spending again.
    private func bringAnaBack() throws {
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        #expect(try file.count(Self.shown) == 0)
    }

    private func addSpendings(_ count: Int) throws {
        try file.replica.write("spendings") { transaction in
            for number in 1...count {
                let values: [String: Value] = ["content": .string("Taxi"), "person": .data(Self.person.bytes)]
                try transaction.put("Spending", id: RecordID(high: 7, low: UInt64(number)), values)
            }
        }
    }

    @Test func whatAnotherProgramHasWrittenSinceIsSettled() throws {
        try bringAnaBack()
        try file.replica.write("person") {
            try $0.put("Person", id: RecordID(high: 0, low: 3), ["name": .string("Bo")])
        }
        #expect(try file.count(Self.shown) == 1)
    }

    /// Few records are looked up, many are searched for. Spendings of a deleted person are hidden.
    @Test(arguments: [1, 20, 90]) func whatTheTransactionWritesIsSettled(_ count: Int) throws {
        for _ in 1...2 {
            try addSpendings(count)
            #expect(try file.count(Self.shown) == 0)
            #expect(try file.count("SELECT count(*) FROM roost_outbox WHERE unsettled = 1") == 0)
            #expect(try file.count("SELECT count(*) FROM roost_mark") == 0)
        }
        try file.replica.write("undelete") { try $0.undelete("Person", id: Self.person) }
        #expect(try file.count(Self.shown) == count + 1)
    }

    @Test func whatIsTakenBackIsSettledAgain() throws {
        let limits = PushLimits(
            changesPerPush: 1000, bytesPerPush: 1 << 20, changesPerTransaction: 1000, bytesPerTransaction: 1 << 20)
        try file.replica.sealPushes(limits: limits)
        let push = try #require(try file.replica.sealedPushes().first)
        let results = push.transactions.map { _ in PushReply.Result.stored }
        try bringAnaBack()
        // An unreadable push rolls back the transaction that its reply has started.
        try file.sql("CREATE TABLE kept AS SELECT body FROM roost_push; UPDATE roost_push SET body = x'FF'")
        #expect(throws: ReplicaError.self) { try file.replica.acknowledge(push.number, results, current: []) }
        #expect(try file.count(Self.shown) == 0)
        try file.sql("UPDATE roost_push SET body = (SELECT body FROM kept); DROP TABLE kept")
        try file.replica.acknowledge(push.number, results, current: [])
        #expect(try file.count(Self.shown) == 1)
    }
}
