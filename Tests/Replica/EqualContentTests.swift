import Replica
import RoostModel
import RoostProtocol
import TestScope
import Testing

/// Two devices that leave a record with the same content: one change beats the other, and nothing is lost until a third
/// change gives the record another content.
@Suite struct EqualContentTests {
    private let scope = MemoryScope()
    private let ana: TemporaryReplica
    private let bob: TemporaryReplica
    private let person = RecordKey(entity: EntityID(1), id: RecordID(high: 0, low: 1))

    init() throws {
        ana = try TemporaryReplica(TemporaryReplica.people, id: 1)
        bob = try TemporaryReplica(TemporaryReplica.people, id: 2)
        try ana.sql(
            """
            INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana');
            INSERT INTO spending(id, content, person) VALUES (\(id(5)), 'dinner', \(id(1)))
            """)
        try exchange()
    }

    private func exchange() throws {
        for file in [ana, bob, ana] { try scope.synchronise(file.replica) }
    }

    /// Writes on both devices, and lets them exchange what they have written. Ana's changes are beaten.
    private func both(_ sql: String) throws {
        for file in [ana, bob] {
            try file.sql(sql)
            try file.replica.settle()
        }
        try exchange()
    }

    private func then(_ file: TemporaryReplica, _ sql: String) throws {
        try file.sql(sql)
        try file.replica.settle()
        try exchange()
    }

    private func listed() throws -> [JournalEntry.Outcome] { try ana.replica.journal().map(\.outcome) }

    /// Checks that the journal lists the beaten changes, and that the file keeps them in any case.
    private func expect(listed count: Int, of recorded: Int = 1, _ location: SourceLocation = #_sourceLocation) throws {
        let entries = try ana.replica.wholeJournal().filter { $0.outcome == .beaten }
        #expect(entries.count == recorded, sourceLocation: location)
        #expect(entries.count { $0.isCurrent } == recorded - count, sourceLocation: location)
        #expect(try listed().count { $0 == .beaten } == count, sourceLocation: location)
        #expect(try ana.replica.status().beaten == count, sourceLocation: location)
        #expect(try bob.replica.wholeJournal().allSatisfy { $0.outcome != .beaten }, sourceLocation: location)
    }

    // MARK: Edits

    @Test func anEqualInsertIsNotListed() throws {
        try both("INSERT INTO person(id, name) VALUES (\(id(2)), 'Bob')")
        try expect(listed: 0)
        #expect(try bob.replica.digest() == ana.replica.digest())
    }

    @Test func anotherEditIsListed() throws {
        try ana.sql("UPDATE person SET name = 'Anna'")
        try ana.replica.settle()
        try bob.sql("UPDATE person SET name = 'Anne'")
        try bob.replica.settle()
        try exchange()
        try expect(listed: 1)
    }

    /// The entry appears with the edit that beat its own, even if another device gives the record another content.
    @Test(arguments: [true, false]) func anEqualEditIsListedOnceTheRecordHasAnotherContent(isOwn: Bool) throws {
        try both("UPDATE person SET name = 'Anna'")
        try expect(listed: 0)
        let by = try #require(ana.replica.wholeJournal().first?.by)
        try then(isOwn ? ana : bob, "UPDATE person SET name = 'Anne'")
        try expect(listed: 1)
        #expect(try ana.replica.journal().first?.by == by)
        #expect(by.replica == ReplicaID(rawValue: 2))
        try then(bob, "UPDATE person SET name = 'Anna'")
        try expect(listed: 0)
    }

    /// A file's copy pushes the same edit under an identity of its own, and an edit that has seen neither beats it. Without
    /// the entry, the author's content would be nowhere (seed 500095147).
    @Test func anEqualEditIsListedOnceABlindEditBeatsTheOther() throws {
        let carl = try TemporaryReplica(TemporaryReplica.people, id: 3)
        try scope.synchronise(carl.replica)
        try ana.sql("UPDATE person SET name = 'Anna'")
        try ana.replica.settle()
        try bob.sql("UPDATE person SET name = 'Anna'")
        try bob.replica.settle()
        try carl.sql("UPDATE person SET name = 'Carla'")
        try carl.replica.settle()
        try exchange()
        try expect(listed: 0)
        for file in [carl, ana] { try scope.synchronise(file.replica) }
        #expect(try ana.texts("SELECT name FROM person") == ["Carla"])
        try expect(listed: 1)
    }

    /// The record shows a local edit that is not sent yet, of the library or of another program.
    @Test func aPendingEditCounts() throws {
        try both("UPDATE person SET name = 'Anna'")
        try ana.sql("UPDATE person SET name = 'Anne'")
        try expect(listed: 1)
        try ana.sql("UPDATE person SET name = 'Anna'")
        try expect(listed: 0)
        try ana.replica.write("rename") { try $0.put("Person", id: person.id, ["name": .string("Anne")]) }
        try expect(listed: 1)
    }

    /// One property of two is equal. The beaten edit has both, because a put is the whole record.
    @Test func anEditOfTwoPropertiesIsListedWhereOneIsEqual() throws {
        try ana.sql("UPDATE spending SET content = 'pizza', day = '2026-12-01'")
        try ana.replica.settle()
        try bob.sql("UPDATE spending SET content = 'pizza'")
        try bob.replica.settle()
        try exchange()
        try expect(listed: 1)
    }

    /// A property that the beaten edit has set to nil is not one that it leaves alone.
    @Test func anEditThatRemovesAValueIsListedWhereItStays() throws {
        try then(bob, "UPDATE spending SET day = '2026-12-01'")
        try ana.sql("UPDATE spending SET day = NULL, content = 'pizza'")
        try ana.replica.settle()
        try bob.sql("UPDATE spending SET content = 'pizza'")
        try bob.replica.settle()
        try exchange()
        try expect(listed: 1)
    }

    /// No put has the bytes of a text that is not UTF-8, so that only the entry has them.
    @Test func anEntryWithValuesThatNoPutHasIsListed() throws {
        try ana.sql("UPDATE person SET name = CAST(x'66ff41' AS TEXT)")
        try ana.replica.settle()
        try bob.sql("UPDATE person SET name = 'f' || char(65533) || 'A'")
        try scope.synchronise(bob.replica)
        try scope.pull(ana.replica)
        try expect(listed: 1)
        #expect(try ana.replica.journal().first?.reason.contains("CAST(X'66FF41' AS TEXT)") == true)
    }

    @Test(arguments: [true, false]) func aRestoredEntryIsNotListed(isEqual: Bool) throws {
        try ana.sql("UPDATE person SET name = 'Anna'")
        try ana.replica.settle()
        try bob.sql("UPDATE person SET name = '\(isEqual ? "Anna" : "Anne")'")
        try bob.replica.settle()
        try exchange()
        let ordinal = try #require(ana.replica.wholeJournal().first?.ordinal)
        _ = try ana.replica.restore(ordinal)
        #expect(try ana.texts("SELECT name FROM person") == ["Anna"])
        try expect(listed: 0)
        try exchange()
        #expect(try bob.texts("SELECT name FROM person") == ["Anna"])
        try expect(listed: 0)
    }

    // MARK: Records that are not shown

    /// The record's own entry says that it is hidden, with the same content.
    @Test func anEqualEditOfAHiddenRecordIsNotListed() throws {
        try both("UPDATE spending SET content = 'pizza'")
        try then(bob, "DELETE FROM person")
        try expect(listed: 0)
        #expect(try listed() == [.hidden])
    }

    @Test func anEqualEditOfADeletedRecordIsListed() throws {
        try both("UPDATE spending SET content = 'pizza'")
        try then(bob, "DELETE FROM spending")
        try expect(listed: 1)
        try ana.replica.write("undelete") { try $0.undelete("Spending", id: RecordID(high: 0, low: 5)) }
        try expect(listed: 0)
    }

    /// A deleted record is shown while another one refers to it by a deny rule.
    @Test func anEqualEditOfAKeptRecordIsNotListed() throws {
        try both("UPDATE person SET name = 'Anna'")
        try bob.sql("DELETE FROM person")
        try then(ana, "INSERT INTO spending(id, content, guarantor) VALUES (\(id(6)), 'boat', \(id(1)))")
        try expect(listed: 0)
        #expect(try listed().contains(.kept))
    }

    @Test func anEqualEditOfAPurgedRecordIsListed() throws {
        try both("UPDATE spending SET content = 'pizza'")
        let spending = RecordKey(entity: EntityID(2), id: RecordID(high: 0, low: 5))
        scope.purge(spending)
        _ = try ana.replica.apply([], purged: [spending], checkpoint: [7], serverTime: nil)
        #expect(try ana.count("SELECT count(*) FROM spending") == 0)
        #expect(try listed().contains(.beaten))
    }

    // MARK: Deletes

    /// Seals a change of Ana's, and takes in a reply that says that a change of `winner` beats it.
    private func acknowledgeBeaten(by winner: HybridTimestamp) throws -> Int {
        let push = try #require(ana.replica.sealPushes(limits: scope.limits).push)
        let outcome = PushReply.Outcome(index: 0, kind: .beaten, other: winner)
        let result = PushReply.Result.accepted(sequence: 1, outcomes: [outcome])
        return try ana.replica.acknowledge(push.number, [result], current: []).beaten
    }

    private func apply(put: String? = nil, delete: HybridTimestamp? = nil, at stamp: HybridTimestamp? = nil) throws {
        let put = put.map { name -> RecordState.PutSlot in
            let content = ContentCoding.encode([.init(property: PropertyID(1), value: .string(name))])
            let base = scope.states[person]?.put?.stamp
            return .init(stamp: stamp ?? Self.later(1), base: base, encoded: Put(content: content).encoded())
        }
        _ = try ana.replica.apply(
            [RecordState(key: person, put: put, delete: delete)], checkpoint: [5], serverTime: nil)
    }

    /// A stamp of another device, later than all of these tests.
    private static func later(_ number: UInt64) -> HybridTimestamp {
        HybridTimestamp(time: (1 << 46) << 16 + number, replica: ReplicaID(rawValue: 2))
    }

    /// A later delete beats a delete. A put after both beats both.
    @Test func anEqualDeleteIsNotListed() throws {
        try ana.sql("DELETE FROM person")
        #expect(try acknowledgeBeaten(by: Self.later(1)) == 1)
        // The later delete has not arrived.
        #expect(try listed() == [.beaten, .hidden])
        try apply(delete: Self.later(1))
        #expect(try listed() == [.hidden])
        try apply(put: "Anne", delete: Self.later(1), at: Self.later(2))
        #expect(try listed() == [.beaten])
        _ = try ana.replica.apply([], purged: [person], checkpoint: [7], serverTime: nil)
        #expect(try !listed().contains(.beaten))
    }

    /// Deleting the record again leaves it as the beaten delete wanted it.
    @Test func aBeatenDeleteThatIsMadeAgainIsNotListed() throws {
        try ana.sql("DELETE FROM spending")
        try ana.replica.settle()
        try bob.sql("UPDATE spending SET content = 'pizza'")
        try bob.replica.settle()
        try exchange()
        try expect(listed: 1)
        let ordinal = try #require(ana.replica.journal().first?.ordinal)
        _ = try ana.replica.restore(ordinal)
        #expect(try ana.count("SELECT count(*) FROM spending") == 0)
        try expect(listed: 0)
    }

    // MARK: The reply and the page

    /// The reply says that a change is beaten, and not by what content.
    @Test(arguments: [true, false]) func aBeatenChangeIsListedUntilItsEqualArrives(isEqual: Bool) throws {
        try ana.sql("UPDATE person SET name = 'Anna'")
        #expect(try acknowledgeBeaten(by: Self.later(1)) == 1)
        try expect(listed: 1)
        try apply(put: isEqual ? "Anna" : "Anne")
        try expect(listed: isEqual ? 0 : 1)
        #expect(try ana.replica.countBeaten(last: 1) == (isEqual ? 0 : 1))
    }

    /// The page comes before the reply, which reports the same end of the same change.
    @Test func aBeatenChangeIsCountedOnce() throws {
        try ana.sql("UPDATE person SET name = 'Anna'")
        try ana.replica.sealPushes(limits: scope.limits)
        try apply(put: "Anne")
        #expect(try acknowledgeBeaten(by: Self.later(1)) == 0)
        try expect(listed: 1)
    }

    /// The newest of several entries are counted.
    @Test func theLastBeatenChangesAreCounted() throws {
        try both("UPDATE person SET name = 'Anna'")
        try ana.sql("UPDATE spending SET content = 'pizza'")
        try ana.replica.settle()
        try bob.sql("UPDATE spending SET content = 'pasta'")
        try bob.replica.settle()
        try exchange()
        try expect(listed: 1, of: 2)
        #expect(try [1, 2].map { try ana.replica.countBeaten(last: $0) } == [1, 1])
        try then(bob, "UPDATE person SET name = 'Anne'; UPDATE spending SET content = 'pizza'")
        try expect(listed: 1, of: 2)
        #expect(try [1, 2].map { try ana.replica.countBeaten(last: $0) } == [0, 1])
    }
}
