import RoostModel
import Testing

@testable import Replica

/// A second thread decodes the records of a large page while the writing thread applies them by key. The replica's state
/// afterwards equals that after small pages, which one thread applies in their order.
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

    /// Contents may have unusual forms of other clients, or forms that no table can store. An edit may replace either by the
    /// other.
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

    /// Delete rules apply before and after an edit: there are hidden rows, masked references, and records with pending local
    /// changes. Without a deny rule, nothing is derived from an edit in place.
    @Test(arguments: [1, 2, 3, 4] as [UInt64], [true, false])
    func largePageOfRelatedRecordsIsManySmallOnes(_ seed: UInt64, denies: Bool) throws {
        var random = SplitMix64(state: seed)
        let schema = denies ? TemporaryReplica.people : Self.nothingDenied
        let large = try TemporaryReplica(schema, id: 1)
        let small = try TemporaryReplica(schema, id: 2)
        for round in 0..<4 {
            let states = (0..<Self.count + round).map { number in
                number % 20 == 0 ? Self.state(number, &random) : Self.spending(number, &random)
            }
            try Self.expectSame(states, in: large, and: small)
            // Another program edits an existing record, and inserts one whose page is still to come.
            for file in seed % 2 == 0 ? [large, small] : [] {
                try file.sql("UPDATE spending SET content = 'of here' WHERE id = (SELECT min(id) FROM spending)")
                let id = RecordID(high: 1, low: UInt64(Self.count + round))
                try file.sql("INSERT INTO spending(id, content) VALUES (x'\(Hex.encode(id.bytes))', 'of here')")
            }
        }
        #expect(try large.count("SELECT count(*) FROM spending") > 0)
        #expect(try large.count("SELECT count(*) FROM roost_hidden_spending") > 0)
    }

    /// A stray row without slots, as corruption leaves it, makes a batch fail. The rows of the batch are then written one by
    /// one.
    @Test func aStrayRowRefusesOnlyItsBatch() throws {
        var random = SplitMix64(state: 6)
        let large = try TemporaryReplica(TemporaryReplica.people, id: 1)
        let small = try TemporaryReplica(TemporaryReplica.people, id: 2)
        for file in [large, small] {
            try file.sql(
                "INSERT INTO spending(id, content) VALUES (\(Self.literal(300)), 'stray'); DELETE FROM roost_mark")
        }
        let states = (0..<Self.count).map { Self.spending($0, &random, amount: $0) }
        try Self.expectSame(states, in: large, and: small)
        #expect(try large.count("SELECT count(*) FROM spending WHERE content <> 'stray'") == Self.count)
    }

    /// Roost's server never sends a record twice in a page. A page that repeats one is applied like small ones.
    @Test func recordsThatComeTwiceAreJoined() throws {
        var random = SplitMix64(state: 7)
        let large = try TemporaryReplica(TemporaryReplica.people, id: 1)
        let small = try TemporaryReplica(TemporaryReplica.people, id: 2)
        let states = (0..<Self.count).map { Self.spending($0 / 2, &random) }
        try Self.expectSame(states, in: large, and: small)
        #expect(try large.count("SELECT count(*) FROM roost_fact") == Self.count / 2)
    }

    /// A row lost by corruption comes back with the next edit of its record. Its consequences are derived: its cascade
    /// children are shown, and it is hidden if its parent is deleted. This also holds in a batch with an edit that changes a
    /// reference, which is written separately.
    @Test(arguments: [true, false], [true, false])
    func lostRowsAreWrittenByEdits(denies: Bool, moves: Bool) throws {
        let schema = denies ? TemporaryReplica.people : Self.nothingDenied
        let large = try TemporaryReplica(schema, id: 1)
        let small = try TemporaryReplica(schema, id: 2)
        let persons = 160
        let orphan = Self.count
        // Spendings refer to the first persons; each batch of either entity has 50 rows.
        func states(_ time: UInt64) -> [RecordState] {
            (0..<Self.count).map { number in
                let person = moves && time > 1 && number % 20 == 19 ? 20 : number % persons
                return Self.record(number, time, person: number < persons ? nil : person)
            }
        }
        try Self.expectSame(states(1), in: large, and: small)
        try Self.expectSame([Self.record(5, 1, person: nil, deleted: 9)], in: large, and: small)
        let child = Self.count - Self.count % persons + 5 - persons
        for file in [large, small] {
            try file.loseRow("roost_hidden_spending", Self.literal(child))
            try file.loseRow("person", Self.literal(60))
        }
        try Self.expectSame([Self.record(orphan, 1, person: 60)], in: large, and: small, areSound: false)
        for file in [large, small] {
            #expect(try file.count("SELECT count(*) FROM spending WHERE id = \(Self.literal(orphan))") == 0)
        }

        try Self.expectSame(states(2), in: large, and: small)
        for file in [large, small] {
            #expect(try file.count("SELECT count(*) FROM person") == persons - 1)
            #expect(try file.count("SELECT count(*) FROM spending WHERE id = \(Self.literal(child))") == 0)
            #expect(try file.count("SELECT count(*) FROM spending WHERE id = \(Self.literal(orphan))") == 1)
        }
    }

    /// A table's name may be the name by which SQL refers to the row that an upsert did not insert.
    @Test func anEntityMayBeNamedExcluded() throws {
        let file = try TemporaryReplica(TemporaryReplica.people.replacing("\"Spending\"", with: "\"Excluded\""))
        for time in [1, 2, 3] as [UInt64] {
            let states = (0..<Self.count).map {
                Self.record($0, time, person: $0 < 160 ? nil : ($0 + Int(time) / 3) % 160)
            }
            for page in [states, Array(states.suffix(10))] {
                _ = try file.replica.apply(page, checkpoint: nil, serverTime: nil)
            }
            #expect(try file.count("SELECT count(*) FROM excluded WHERE content = 'at \(time)'") == Self.count - 160)
        }
        #expect(try file.replica.check().isSound)
    }

    /// Neighbours in a b-tree are written one after the other.
    @Test func largePageIsTakenInByKey() throws {
        var random = SplitMix64(state: 5)
        let replica = try TemporaryReplica(TemporaryReplica.people, id: 1)
        let states = (0..<PageReading.recordsMin).shuffled(using: &random).map {
            Self.state($0, &random, isDeleted: false)
        }
        _ = try replica.replica.apply(states, checkpoint: nil, serverTime: nil)
        let written = try replica.texts("SELECT hex(id) FROM person ORDER BY rowid")
        let sorted = states.map(\.key).sorted().map { Hex.encode($0.id.bytes).uppercased() }
        // Some records wait for others while later ones do not, so that the rows are two ordered sequences, interleaved.
        var (last, lastOfOthers) = ("", "")
        for id in written {
            if id > last {
                last = id
            } else {
                #expect(id > lastOfOthers)
                lastOfOthers = id
            }
        }
        #expect(written.sorted() == sorted)
    }

    private static let nothingDenied = TemporaryReplica.people.replacing("\"deny\"", with: "\"nullify\"")

    /// Returns the identifier of a record as an SQL literal.
    private static func literal(_ number: Int) -> String {
        "x'\(Hex.encode(RecordID(high: 1, low: UInt64(number)).bytes))'"
    }

    /// Returns a person, or a spending of a person.
    private static func record(_ number: Int, _ time: UInt64, person: Int?, deleted: UInt64? = nil) -> RecordState {
        func stamp(_ time: UInt64) -> HybridTimestamp {
            HybridTimestamp(milliseconds: time, counter: 0, replica: ReplicaID(rawValue: 9))
        }
        let references = person.map {
            [Put.Reference(relationship: PropertyID(8), target: RecordID(high: 1, low: UInt64($0)))]
        }
        let content = ContentCoding.encode([.init(property: PropertyID(1), value: .string("at \(time)"))])
        return RecordState(
            key: RecordKey(
                entity: EntityID(person == nil ? 1 : 2), id: RecordID(high: 1, low: UInt64(number))),
            put: .init(
                stamp: stamp(time), base: nil, encoded: Put(references: references ?? [], content: content).encoded()),
            delete: deleted.map(stamp))
    }

    /// Applies the records as one page to one replica and as many pages to the other, and compares the two.
    private static func expectSame(
        _ states: [RecordState], in large: TemporaryReplica, and small: TemporaryReplica, areSound: Bool = true
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
            "SELECT quote(entity) || quote(id) FROM roost_kept",
            "SELECT quote(entity) || quote(id) FROM roost_outbox",
        ] {
            let (one, many) = (try large.texts(rows), try small.texts(rows))
            #expect(one.difference(from: many).isEmpty, "\(rows)")
        }
        // Every content matches its hash, with masked references included.
        let (one, many) = (try large.replica.check(), try small.replica.check())
        #expect(one.isSound == areSound && many.isSound == areSound)
        #expect(one.compared == many.compared && one.irregular == many.irregular)
    }

    /// Returns a spending with the slots of ``state(_:_:isDeleted:)``; its amount may be given.
    private static func spending(
        _ number: Int, _ random: inout SplitMix64, amount: Int? = nil, later: UInt64 = 0
    ) -> RecordState {
        var state = state(number, &random, isDeleted: amount == nil ? nil : false)
        state.key = RecordKey(entity: EntityID(2), id: RecordID(high: 1, low: UInt64(number)))
        let content = ContentCoding.encode([
            .init(property: PropertyID(1), value: .string("content \(Int.random(in: 0..<3, using: &random))")),
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
        // Two puts with one stamp sometimes have different content: the greater hash wins.
        let name = "name \(Int.random(in: 0..<3, using: &random))"
        let content = ContentCoding.encode([.init(property: PropertyID(1), value: .string(name))])
        return RecordState(
            key: key, put: .init(stamp: stamp(), base: nil, encoded: Put(content: content).encoded()),
            delete: isDeleted ?? (Int.random(in: 0..<4, using: &random) == 0) ? stamp() : nil)
    }
}
