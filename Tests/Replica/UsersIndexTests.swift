import Replica
import RoostModel
import TestSupport
import Testing

/// An index that its user made may refuse what the schema allows. What it refuses is kept and said; nothing is lost, and all else goes on.
@Suite struct UsersIndexTests {
    private let file: TemporaryReplica

    init() throws {
        file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql("CREATE UNIQUE INDEX own_amount ON spending(amount)")
    }

    /// In one page and in small ones.
    @Test(arguments: [1000, 100]) func aRefusedRowIsSetAsideAlone(atOnce: Int) throws {
        let numbers = 1...1000
        try apply(numbers.map { Self.spending($0, 1, amount: $0 == 300 ? 20 : $0) }, atOnce)
        #expect(try spendings() == numbers.count - 1)
        #expect(try reasons() == ["UNIQUE constraint failed: spending.amount"])
        // What is freed may be taken by a record that comes after it in the order of keys.
        try apply(numbers.map { Self.spending($0, 2, amount: $0 == 300 ? 20 : $0 == 20 ? 5000 : $0) }, atOnce)
        #expect(try spendings() == numbers.count)
        #expect(try reasons() == [])
    }

    /// An edit that leaves the references as they are.
    @Test(arguments: [1000, 100]) func aRefusedEditIsSetAsideAlone(atOnce: Int) throws {
        let numbers = 1...1000
        try apply(numbers.map { Self.spending($0, 1, amount: $0) }, atOnce)
        try apply(numbers.map { Self.spending($0, 2, amount: $0 == 300 ? 20 : $0, content: "later") }, atOnce)
        #expect(try spendings() == numbers.count - 1)
        #expect(try file.count("SELECT count(*) FROM spending WHERE content = 'later'") == numbers.count - 1)
        #expect(try reasons() == ["UNIQUE constraint failed: spending.amount"])
    }

    /// An index over an expression that fails for some content.
    @Test func whatAnIndexCannotComputeIsSetAside() throws {
        try file.sql("CREATE INDEX own_json ON spending(json(content))")
        try apply([1, 2, 3].map { Self.spending($0, 1, amount: $0, content: $0 == 2 ? "no JSON" : "[]") }, 100)
        #expect(try spendings() == 2)
        #expect(try reasons() == ["malformed JSON"])
    }

    /// A row comes back with what it hangs off, while another has its amount; one at a time and many at once.
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
        // It is shown with an edit that fits.
        try apply([Self.spending(2, 8, amount: 10_000, person: 1)], 1)
        #expect(try spendings() == count + 1)
        #expect(try file.replica.check().isSound)
    }

    /// Where its user brings a row back, that is an error, and nothing has changed.
    @Test(arguments: [3, 500, 3000]) func anUndeleteThatCannotBeIsRefused(count: Int) throws {
        try apply([Self.person(1)] + (1...count).map { Self.spending($0, 1, amount: $0, person: 1) }, 5000)
        let (person, spending) = (RecordID(high: 0, low: 1), RecordID(high: 0, low: 2))
        func undelete(_ entity: String, _ id: RecordID) throws {
            try file.replica.write("undelete") { try $0.undelete(entity, id: id) }
        }
        for (entity, id, left) in [("Spending", spending, count - 1), ("Person", person, 0)] {
            try file.replica.write("delete") { try $0.delete(entity, id: id) }
            try file.sql("INSERT INTO spending(content, amount) VALUES ('other', 2)")
            let error = #expect(throws: ReplicaError.self) { try undelete(entity, id) }
            #expect(error?.code == .invalidValue)
            #expect(error?.message.contains("UNIQUE constraint failed: spending.amount") == true)
            #expect(try spendings() == left + 1)
            try file.sql("DELETE FROM spending WHERE content = 'other'")
            try undelete(entity, id)
            #expect(try spendings() == count)
        }
        #expect(try file.replica.check().isSound)
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
        _ number: Int, _ time: UInt64, amount: Int, content: String = "tea", person: UInt64? = nil
    ) -> RecordState {
        let fields = ContentCoding.encode([
            .init(property: PropertyID(1), value: .text(content)),
            .init(property: PropertyID(2), value: .integer(Int64(amount))),
        ])
        let references = person.map { [Put.Reference(relationship: PropertyID(8), target: RecordID(high: 0, low: $0))] }
        return RecordState(
            key: RecordKey(entity: EntityID(2), id: RecordID(high: 0, low: UInt64(number))),
            put: .init(
                stamp: stamp(time), base: nil, encoded: Put(references: references ?? [], content: fields).encoded()),
            delete: nil)
    }

    /// The first person, as put at some time.
    private static func person(_ time: UInt64, deleted: UInt64? = nil) -> RecordState {
        let content = ContentCoding.encode([.init(property: PropertyID(1), value: .text("Ana"))])
        return RecordState(
            key: RecordKey(entity: EntityID(1), id: RecordID(high: 0, low: 1)),
            put: .init(stamp: stamp(time), base: nil, encoded: Put(content: content).encoded()),
            delete: deleted.map(stamp))
    }
}
