import Foundation
import GRDB
import RoostMerge
import RoostModel
import RoostProtocol
import TestScope
import Testing

@testable import Replica

/// A large outbox is settled and sealed part by part, with the result of a small one.
@Suite struct LargeOutboxTests {
    private static let limits = PushLimits(
        changesPerPush: 1000, bytesPerPush: 1 << 20, changesPerTransaction: 30_000, bytesPerTransaction: 12 << 20)
    private let file: TemporaryReplica

    init() throws { file = try TemporaryReplica(TemporaryReplica.people) }

    /// Inserts people in one transaction, as another program does.
    private func insert(_ count: Int, from first: UInt64 = 1) throws {
        try file.plain.write { database in
            let insert = try database.makeStatement(sql: "INSERT INTO person(id, name) VALUES (?, ?)")
            for number in first..<first + UInt64(count) {
                try insert.execute(arguments: [Data(RecordID(high: 0, low: number).bytes), "person \(number)"])
            }
        }
    }

    /// Seals all pending changes at once, whatever their number, and rolls that back.
    private func sealedAtOnce() throws -> [PushRequest] {
        var pushes: [PushRequest] = []
        struct TakenBack: Error {}
        do {
            try file.replica.engineWrite("seal") { database in
                let control = try ControlRow(database)
                let sealing = try Sealing(
                    database, file.replica.layout, control, Self.limits, now: file.replica.now)
                pushes = try sealing.seal(Outbox(database: database).entries(), .taken)?.pushes ?? []
                throw TakenBack()
            }
        } catch {}
        return pushes
    }

    /// Seals as a session does.
    private func sealed() throws -> [PushRequest] {
        try file.replica.sealPushes(limits: Self.limits)
        return try file.replica.sealedPushes()
    }

    @Test func aLargeTransactionIsSealedAsASmallOneIs() throws {
        try insert(25_000)
        let expected = try sealedAtOnce()
        #expect(expected.count == 25)
        #expect(expected.flatMap(\.transactions).map(\.continues) == Array(repeating: true, count: 24) + [false])
        #expect(try sealed() == expected)
    }

    @Test func manyTransactionsAreSealedInTheSameGroups() throws {
        try insert(21_000)
        for number in 1...40 {
            try file.replica.write("edit") { transaction in
                for id in [number, number + 3, 100 * number] {
                    try transaction.put(
                        "Person", id: RecordID(high: 0, low: UInt64(id)), ["name": .string("edited \(number)")])
                }
            }
        }
        try insert(300, from: 30_000)
        let expected = try sealedAtOnce()
        #expect(expected.flatMap(\.transactions).count > 1)
        #expect(try sealed() == expected)
    }

    /// The transaction exceeds the server's limit: it arrives in pieces, none of which exceeds a push.
    @Test func aTransactionThatNoServerTakesComesInPiecesOfOnePush() throws {
        try insert(31_500)
        let pushes = try sealed()
        #expect(pushes.count == 32)
        #expect(pushes.allSatisfy { $0.transactions.count == 1 && !$0.transactions[0].continues })
        #expect(pushes.flatMap(\.changes).count == 31_500)
        #expect(try file.texts("SELECT text FROM roost_event WHERE kind = 'split'").first?.contains("32 parts") == true)
    }

    /// Each push is stored as soon as it is full.
    @Test func pushesDoNotGatherInMemory() throws {
        try insert(25_000)
        var greatest = 0
        var count = 0
        try file.replica.engineWrite("seal") { database in
            let sealing = try Sealing(
                database, file.replica.layout, ControlRow(database), Self.limits, now: file.replica.now)
            _ = try sealing.stream { pushes in
                greatest = max(greatest, pushes.count)
                count += pushes.count
            }
        }
        #expect(count == 25)
        #expect(greatest == 1)
    }

    /// Content that cannot be sent requires a check of its whole transaction. The rest is sent.
    @Test func whatCannotBeSentIsRefusedAmongMany() throws {
        try insert(25_000)
        var limits = Self.limits
        limits.bytesPerPut = 1000
        try file.sql("UPDATE person SET name = printf('%2000d', 1) WHERE id = \(id(20_000))")
        #expect(try file.replica.sealChanges(limits).count == 24_999)
        #expect(try file.replica.journal().map(\.outcome) == [.refused])
    }

    @Test func manyDeletesAreSettledInParts() throws {
        _ = try file.replica.apply(
            (1...9000).map { Self.person($0) }, checkpoint: [1], serverTime: nil)
        try file.sql("DELETE FROM person WHERE id > \(id(20))")
        try file.replica.settle()
        #expect(try file.texts("SELECT count(*) FROM roost_outbox WHERE unsettled > 0") == ["0"])
        #expect(try file.texts("SELECT count(*) FROM roost_outbox WHERE del_stamp > 0") == ["8980"])
        #expect(try file.texts("SELECT count(*) FROM person") == ["20"])
        #expect(try file.replica.check().isSound)
    }

    private static func person(_ number: UInt64) -> RecordState {
        let content = ContentCoding.encode([.init(property: PropertyID(1), value: .string("person \(number)"))])
        let stamp = HybridTimestamp(time: 1, replica: ReplicaID(rawValue: 9))
        return RecordState(
            key: RecordKey(entity: EntityID(1), id: RecordID(high: 0, low: number)),
            put: .init(stamp: stamp, base: nil, encoded: Put(content: content).encoded()))
    }
}
