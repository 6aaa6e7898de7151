import Foundation
import GRDB
import RoostModel
import RoostProtocol
import TestScope
import Testing

@testable import Replica

/// A reply is applied with equal results by the process that sealed its push, which has the push cached, and by one that has
/// to read it.
///
/// In builds with assertions, every test also reads the cached state from the file.
@Suite struct KnownPushTests {
    /// Events that may happen while a push is in flight.
    enum Meanwhile: CaseIterable {
        case nothing, edit, delete, damage, localWrite, page

        /// Whether the cached state is still valid.
        var isKnown: Bool { self == .nothing }
    }

    private static let limits = PushLimits(
        changesPerPush: 1000, bytesPerPush: 1 << 20, changesPerTransaction: 1000, bytesPerTransaction: 1 << 20)
    private static let winner = stamp(1 << 40)
    private let file: TemporaryReplica

    /// Makes twenty people from another device, one of them edited and one deleted here; and one new person.
    init() throws {
        file = try TemporaryReplica(TemporaryReplica.people)
        _ = try file.replica.apply(
            (1...20).map { Self.person($0, "person \($0)", Self.stamp(1)) }, checkpoint: [1], serverTime: nil)
        try file.sql(
            """
            UPDATE person SET name = 'Ana' WHERE id = \(id(1));
            DELETE FROM person WHERE id = \(id(2));
            INSERT INTO person(id, name) VALUES (\(id(30)), 'Bo')
            """)
    }

    private static func stamp(_ time: UInt64) -> HybridTimestamp { .init(time: time, replica: ReplicaID(rawValue: 9)) }

    private static func person(_ number: UInt64, _ name: String, _ stamp: HybridTimestamp) -> RecordState {
        let content = ContentCoding.encode([.init(property: PropertyID(1), value: .string(name))])
        return RecordState(
            key: RecordKey(entity: EntityID(1), id: RecordID(high: 0, low: number)),
            put: .init(stamp: stamp, base: nil, encoded: Put(content: content).encoded()))
    }

    private func happen(_ meanwhile: Meanwhile) throws {
        switch meanwhile {
        case .nothing: break
        case .edit: try file.sql("UPDATE person SET name = 'Anna' WHERE id = \(id(1))")
        case .delete: try file.sql("DELETE FROM person WHERE id = \(id(30))")
        case .damage:
            try file.sql(
                "INSERT INTO roost_outbox(entity, id, put_stamp, first, txn, unsettled) VALUES (1, x'07', 1, 0, 0, 0)")
        case .localWrite:
            try file.replica.write("edit") {
                try $0.put("Person", id: RecordID(high: 0, low: 3), ["name": .string("Cleo")])
            }
        case .page:
            _ = try file.replica.apply(
                [Self.person(1, "Eve", Self.stamp(1 << 50)), Self.person(5, "Finn", Self.stamp(2))], checkpoint: [2],
                serverTime: nil)
        }
    }

    /// Returns all contents of a replica except its times and the state of its checks. A copy stores its tables at other
    /// pages, and compares the rows of changes in flight.
    private static func contents(_ path: String) throws -> [String] {
        let database = try DatabaseQueue(path: path)
        defer { try? database.close() }
        return try database.read { database in
            let tables = try String.fetchAll(
                database,
                sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name")
            return try tables.flatMap { table in
                try Row.fetchAll(database, sql: "SELECT * FROM \"\(table)\"").map { row in
                    row.filter { column, _ in !["at", "scrubbed", "last_contact"].contains(column) }
                        .map { "\($0): \(Self.text($1))" }.joined(separator: ", ")
                }.filter { line in
                    // Verifying the layout of a copy removes an entry that names no record.
                    !["fingerprint", "\"scrubPlace\"", "id: 07,"].contains { line.contains($0) }
                }.map { "\(table): \($0)" }
                    .sorted()
            }
        }
    }

    private static func text(_ value: DatabaseValue) -> String {
        if case .blob(let bytes) = value.storage { Hex.encode(Array(bytes)) } else { value.description }
    }

    @Test(arguments: Meanwhile.allCases, [true, false])
    func replyIsTakenInAsByWhoReadsEverything(_ meanwhile: Meanwhile, isBeaten: Bool) throws {
        let sent = try file.replica.sealChanges(Self.limits)
        #expect(sent.count == 3)
        try happen(meanwhile)
        let other = file.path + ".copy"
        try file.copy(to: other)
        let reader = try Replica(opening: other, durability: .normal)
        let beaten = PushReply.Outcome(index: 0, kind: .beaten, other: Self.winner)
        let result = PushReply.Result.accepted(sequence: 1, outcomes: isBeaten ? [beaten] : [])
        for replica in [file.replica, reader] { try replica.acknowledge(1, [result], current: []) }
        try reader.close()
        let (known, read) = (try Self.contents(file.path), try Self.contents(other))
        // A copy stores its tables at other pages.
        for (line, expected) in zip(known, read) where !line.contains("name: \"layout\"") { #expect(line == expected) }
        #expect(known.count == read.count)
        let left = try file.count("SELECT count(*) FROM roost_outbox")
        #expect(left == (meanwhile == .nothing || meanwhile == .page ? 0 : 1))
    }

    /// An empty page that comes with the reply is applied by the transaction of the reply, with the result of a page that comes
    /// by itself.
    @Test(arguments: [true, false]) func emptyPageIsTakenInAsByItself(isBeaten: Bool) throws {
        _ = try file.replica.sealChanges(Self.limits)
        let other = file.path + ".copy"
        try file.copy(to: other)
        let reader = try Replica(opening: other, durability: .normal)
        let beaten = PushReply.Outcome(index: 0, kind: .beaten, other: Self.winner)
        let result = PushReply.Result.accepted(sequence: 1, outcomes: isBeaten ? [beaten] : [])
        let serverTime = UInt64(Date().timeIntervalSince1970 * 1000)
        let page = EmptyPage(since: [1], checkpoint: [2], serverTime: serverTime)
        let done = try file.replica.acknowledge(1, [result], current: [], with: page)
        try reader.acknowledge(1, [result], current: [])
        let report = try reader.apply([], checkpoint: [2], serverTime: serverTime)
        try reader.close()
        #expect(done.page?.digest == report.digest)
        #expect(done.page?.applied == report.applied)
        let (together, alone) = (try Self.contents(file.path), try Self.contents(other))
        for (line, expected) in zip(together, alone) where !line.contains("name: \"layout\"") {
            #expect(line == expected)
        }
        #expect(together.count == alone.count)
    }

    @Test(arguments: Meanwhile.allCases) func whatWasReadIsOfUseUntilSomebodyWrites(_ meanwhile: Meanwhile) throws {
        _ = try file.replica.sealChanges(Self.limits)
        try happen(meanwhile)
        let isKnown = try file.replica.engineWrite("look") { try $0.consumeSealed(1) != nil }
        #expect(isKnown == meanwhile.isKnown)
        #expect(try file.replica.engineWrite("look again") { try $0.consumeSealed(1) } == nil)
    }

    @Test func nothingIsKnownOfAnotherPush() throws {
        _ = try file.replica.sealChanges(Self.limits)
        #expect(try file.replica.engineWrite("look") { try $0.consumeSealed(2) } == nil)
    }

    /// A refused change is reverted to the confirmed content, and is not removed from the outbox like an accepted one.
    @Test func refusedTransactionIsTakenBack() throws {
        try file.replica.sealPushes(limits: Self.limits)
        let current = (1...2).map { Self.person($0, "person \($0)", Self.stamp(1)) }
        try file.replica.acknowledge(1, [.refused("test")], current: current)
        #expect(try file.texts("SELECT name FROM person WHERE id = \(id(1))") == ["person 1"])
        #expect(try file.count("SELECT count(*) FROM person") == 20)
        #expect(try file.count("SELECT count(*) FROM roost_outbox") == 0)
    }
}
