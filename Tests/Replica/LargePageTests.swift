import RoostModel
import TestSupport
import Testing

@testable import Replica

/// The records of a large page are read by a second thread, wherever it has come to, and taken in by key. What the replica holds afterwards
/// is what small pages leave, which one thread takes in as they come.
@Suite struct LargePageTests {
    private static let count = PageReading.recordsMin * 3

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func largePageIsManySmallOnes(_ seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        let large = try TemporaryReplica(TemporaryReplica.people, id: 1)
        let small = try TemporaryReplica(TemporaryReplica.people, id: 2)
        // A new record, an edit, a delete, a repeated change, and one that is beaten.
        for _ in 0..<3 {
            let states = (0..<Self.count).shuffled(using: &random).map { Self.state($0, &random) }
            try Self.expectSame(states, in: large, and: small)
        }
        #expect(try large.count("SELECT count(*) FROM roost_fact") == Self.count)
    }

    /// Contents as other clients may write them, and such as no table takes; an edit takes the place of either by the other.
    @Test(arguments: [1, 2] as [UInt64])
    func largePageOfAnyContentIsManySmallOnes(_ seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        let large = try TemporaryReplica(TemporaryReplica.people, id: 1)
        let small = try TemporaryReplica(TemporaryReplica.people, id: 2)
        for _ in 0..<3 {
            let states = (0..<Self.count).map { number in
                var state = Self.state(number, &random)
                state.key = RecordKey(entity: EntityID(number % 40 == 39 ? 99 : 2), id: state.key.id)
                state.put?.encoded = PageReadingTests.contents.randomElement(using: &random)!
                return state
            }
            try Self.expectSame(states, in: large, and: small)
        }
        #expect(try large.count("SELECT count(*) FROM roost_unfit WHERE entity = 2") > 0)
        #expect(try large.count("SELECT count(*) FROM roost_unfit WHERE entity = 99") > 0)
        #expect(try large.count("SELECT count(*) FROM roost_extra") > 0)
        #expect(try large.count("SELECT count(*) FROM spending") > 0)
    }

    /// Delete rules at work on both sides of an edit: rows that are hidden, references that read nil, and records that local changes wait of.
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func largePageOfRelatedRecordsIsManySmallOnes(_ seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        let large = try TemporaryReplica(TemporaryReplica.people, id: 1)
        let small = try TemporaryReplica(TemporaryReplica.people, id: 2)
        for round in 0..<4 {
            let states = (0..<Self.count + round).map { number in
                number % 20 == 0 ? Self.state(number, &random) : Self.spending(number, &random)
            }
            try Self.expectSame(states, in: large, and: small)
            // By another program, of one that is known and of one that is to come.
            for file in seed % 2 == 0 ? [large, small] : [] {
                try file.sql("UPDATE spending SET content = 'of here' WHERE id = (SELECT min(id) FROM spending)")
                let id = RecordID(high: 1, low: UInt64(Self.count + round))
                try file.sql("INSERT INTO spending(id, content) VALUES (x'\(Hex.encode(id.bytes))', 'of here')")
            }
        }
        #expect(try large.count("SELECT count(*) FROM spending") > 0)
        #expect(try large.count("SELECT count(*) FROM roost_hidden_spending") > 0)
    }

    /// A table may refuse what the schema allows: an index of its own, made by whoever uses it. The others of its batch are written.
    @Test func aRefusedRowIsSetAsideAlone() throws {
        var random = SplitMix64(state: 6)
        let large = try TemporaryReplica(TemporaryReplica.people, id: 1)
        let small = try TemporaryReplica(TemporaryReplica.people, id: 2)
        for file in [large, small] { try file.sql("CREATE UNIQUE INDEX own_amount ON spending(amount)") }
        for later in [0, 10] as [UInt64] {
            let states = (0..<Self.count).map { number in
                Self.spending(number, &random, amount: number == 300 ? 20 : number, later: later)
            }
            try Self.expectSame(states, in: large, and: small)
        }
        #expect(try large.count("SELECT count(*) FROM spending") == Self.count - 1)
        let reasons = try large.texts("SELECT DISTINCT reason FROM roost_unfit")
        #expect(reasons == ["UNIQUE constraint failed: spending.amount"])
    }

    /// No server of ours sends a record twice in a page; a page that has one so is taken in as small ones are.
    @Test func recordsThatComeTwiceAreJoined() throws {
        var random = SplitMix64(state: 7)
        let large = try TemporaryReplica(TemporaryReplica.people, id: 1)
        let small = try TemporaryReplica(TemporaryReplica.people, id: 2)
        let states = (0..<Self.count).map { Self.spending($0 / 2, &random) }
        try Self.expectSame(states, in: large, and: small)
        #expect(try large.count("SELECT count(*) FROM roost_fact") == Self.count / 2)
    }

    /// A row that is lost, as damage does, comes back with the next edit of its record.
    @Test func aLostRowIsWrittenByAnEdit() throws {
        var random = SplitMix64(state: 8)
        let file = try TemporaryReplica(TemporaryReplica.people, id: 1)
        for later in [0, 10] as [UInt64] {
            let states = (0..<Self.count).map { Self.spending($0, &random, amount: $0, later: later) }
            _ = try file.replica.apply(states, checkpoint: nil, serverTime: nil)
            #expect(try file.count("SELECT count(*) FROM spending") == Self.count)
            if later == 0 { try file.loseRow("spending", "(SELECT max(id) FROM spending)") }
        }
    }

    /// What lies side by side in a tree is written one after the other.
    @Test func largePageIsTakenInByKey() throws {
        var random = SplitMix64(state: 5)
        let replica = try TemporaryReplica(TemporaryReplica.people, id: 1)
        let states = (0..<PageReading.recordsMin).shuffled(using: &random).map {
            Self.state($0, &random, isDeleted: false)
        }
        _ = try replica.replica.apply(states, checkpoint: nil, serverTime: nil)
        let written = try replica.texts("SELECT hex(id) FROM person ORDER BY rowid")
        let sorted = states.map(\.key).sorted().map { Hex.encode($0.id.bytes).uppercased() }
        // Some wait for others, while those behind them do not.
        for (place, id) in written.enumerated() {
            #expect(abs(place - (sorted.firstIndex(of: id) ?? .max)) < 2 * RowBatch.size)
        }
    }

    /// Takes the records in as one page here and as many there.
    private static func expectSame(
        _ states: [RecordState], in large: TemporaryReplica, and small: TemporaryReplica
    ) throws {
        let whole = try large.replica.apply(states, checkpoint: nil, serverTime: nil)
        var applied = 0
        for start in stride(from: 0, to: states.count, by: 100) {
            let page = Array(states[start..<min(start + 100, states.count)])
            applied += try small.replica.apply(page, checkpoint: nil, serverTime: nil).applied
        }
        #expect(whole.applied == applied)
        #expect(try whole.digest == small.replica.digest())
        for rows in [
            "SELECT quote(id) || quote(name) FROM person ORDER BY id",
            """
            SELECT quote(id) || quote(content) || quote(amount) || quote(day) || quote(split) || quote(rate) || quote(paid)
              || quote(token) || quote(person) FROM spending ORDER BY id
            """,
            "SELECT quote(entity) || quote(id) || quote(put_stamp) || quote(hash) || quote(del_stamp) FROM roost_fact",
            "SELECT quote(id) || quote(content) || quote(person) || roost_deleted FROM roost_hidden_spending ORDER BY id",
            "SELECT quote(entity) || quote(id) || quote(put) || quote(reason) FROM roost_unfit",
            "SELECT quote(entity) || quote(id) || quote(put) FROM roost_extra",
        ] {
            let (one, many) = (try large.texts(rows), try small.texts(rows))
            #expect(one.difference(from: many).isEmpty, "\(rows)")
        }
        // Every content is that of its hash, the references that read nil too.
        let (one, many) = (try large.replica.check(), try small.replica.check())
        #expect(one.isSound && many.isSound)
        #expect(one.compared == many.compared && one.irregular == many.irregular)
    }

    /// Of persons of ``state(_:_:isDeleted:)``, unless it has an amount of its own.
    private static func spending(
        _ number: Int, _ random: inout SplitMix64, amount: Int? = nil, later: UInt64 = 0
    ) -> RecordState {
        var state = state(number, &random, isDeleted: amount == nil ? nil : false)
        state.key = RecordKey(entity: EntityID(2), id: RecordID(high: 1, low: UInt64(number)))
        let content = ContentCoding.encode([
            .init(property: PropertyID(1), value: .text("content \(Int.random(in: 0..<3, using: &random))")),
            .init(property: PropertyID(2), value: .integer(Int64(amount ?? Int.random(in: 0..<3, using: &random)))),
        ])
        let person = RecordID(high: 1, low: UInt64(Int.random(in: 0..<4, using: &random) * 20))
        if let stamp = state.put?.stamp {
            state.put?.stamp = HybridTimestamp(time: stamp.time + later << 16, replica: stamp.replica)
        }
        let references = [8, 9].filter { _ in amount == nil && Int.random(in: 0..<3, using: &random) > 0 }
            .map { Put.Reference(relationship: PropertyID($0), target: person) }
        state.put?.encoded = Put(references: references, content: content).encoded()
        return state
    }

    private static func state(_ number: Int, _ random: inout SplitMix64, isDeleted: Bool? = nil) -> RecordState {
        func stamp() -> HybridTimestamp {
            HybridTimestamp(
                milliseconds: UInt64.random(in: 1...6, using: &random), counter: 0, replica: ReplicaID(rawValue: 9))
        }
        let key = RecordKey(entity: EntityID(1), id: RecordID(high: 1, low: UInt64(number)))
        // Two of one stamp have different content now and then: the greater hash stands.
        let name = "name \(Int.random(in: 0..<3, using: &random))"
        let content = ContentCoding.encode([.init(property: PropertyID(1), value: .text(name))])
        return RecordState(
            key: key, put: .init(stamp: stamp(), base: nil, encoded: Put(content: content).encoded()),
            delete: isDeleted ?? (Int.random(in: 0..<4, using: &random) == 0) ? stamp() : nil)
    }
}
