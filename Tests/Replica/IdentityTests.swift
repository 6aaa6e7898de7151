import Foundation
import GRDB
import Replica
import RoostModel
import TestScope
import Testing

/// A replica file that was copied or restored, and the identity under which it continues.
@Suite struct IdentityTests {
    private func copy(_ replica: TemporaryReplica) throws -> (Replica, path: String) {
        try replica.replica.close()
        let path = replica.path + "-copy"
        try FileManager.default.copyItem(atPath: replica.path, toPath: path)
        return (try Replica(opening: path), path)
    }

    @Test func copyIsNoticedAndTheOriginalIsNot() throws {
        let original = try TemporaryReplica(TemporaryReplica.people)
        #expect(try !original.replica.sessionStart().isCopy)
        let (copy, _) = try copy(original)
        #expect(try copy.sessionStart().isCopy)
        #expect(try !Replica(opening: original.path).sessionStart().isCopy)
    }

    @Test func restoredFileIsNoticedAlsoUnderTheOldName() throws {
        let original = try TemporaryReplica(TemporaryReplica.people)
        let (copy, path) = try copy(original)
        try copy.close()
        try FileManager.default.removeItem(atPath: original.path)
        try FileManager.default.copyItem(atPath: path, toPath: original.path)
        #expect(try Replica(opening: original.path).sessionStart().isCopy)
    }

    @Test func renamedFileIsTheSame() throws {
        let original = try TemporaryReplica(TemporaryReplica.people)
        try original.replica.close()
        try FileManager.default.moveItem(atPath: original.path, toPath: original.path + "-new")
        #expect(try !Replica(opening: original.path + "-new").sessionStart().isCopy)
    }

    @Test func nonceStaysUntilTheRenewalAndACopyGetsItsOwn() throws {
        let original = try TemporaryReplica(TemporaryReplica.people)
        #expect(try original.replica.renewalNonce(fresh: "first nonce") == "first nonce")
        #expect(try original.replica.renewalNonce(fresh: "another") == "first nonce")
        let (copy, _) = try copy(original)
        #expect(try copy.renewalNonce(fresh: "of the copy") == "of the copy")
        try copy.renew(as: ReplicaID(rawValue: 9), token: "new", role: "editor", reason: "Copied.")
        #expect(try copy.renewalNonce(fresh: "the next") == "the next")
        #expect(try !copy.sessionStart().isCopy)
    }

    @Test func renewalKeepsTheOutboxWithItsTimesAndForgetsPushes() throws {
        let scope = MemoryScope()
        let replica = try TemporaryReplica(TemporaryReplica.people, id: 1)
        try replica.sql("insert into person(id, name) values (\(id(1)), 'Ana')")
        try scope.synchronise(replica.replica)
        try replica.sql("insert into person(id, name) values (\(id(2)), 'Bob')")
        let before = try replica.replica.sealChanges(scope.limits)
        try replica.replica.renew(as: ReplicaID(rawValue: 9), token: "new", role: "owner", reason: "Copied.")
        let after = try replica.replica.sealChanges(scope.limits)
        #expect(try replica.replica.sealedPushNumber() == 1)
        #expect(after.map(\.stamp.time) == before.map(\.stamp.time))
        #expect(after.map(\.stamp.replica) == [ReplicaID(rawValue: 9)])
        #expect(try replica.replica.membership()?.token == "new")
        #expect(try replica.replica.digest() == scope.digest)
        #expect(try replica.replica.events(limit: 1).first?.kind == "renewed")
    }

    /// Changes of the former identity are still this device's own: its user is notified when one is beaten.
    @Test func changeOfTheFormerIdentityThatIsBeatenIsJournaled() throws {
        let scope = MemoryScope()
        let first = try TemporaryReplica(TemporaryReplica.people, id: 1)
        let second = try TemporaryReplica(TemporaryReplica.people, id: 2)
        try first.sql("insert into person(id, name) values (\(id(1)), 'Ana')")
        for replica in [first, second] { try scope.synchronise(replica.replica) }
        try first.sql("update person set name = 'Anna'")
        try second.sql("update person set name = 'Anne'")
        try scope.synchronise(first.replica)
        try first.replica.renew(as: ReplicaID(rawValue: 9), token: "new", role: "owner", reason: "Copied.")
        try scope.push(second.replica)
        try scope.synchronise(first.replica)
        #expect(try first.texts("select name from person") == ["Anne"])
        #expect(try first.replica.journal().map(\.outcome) == [.beaten])
    }

    /// A restored file gives an edit the stamp of a later edit that all devices have. The later edit wins, with equal content
    /// before and after the renewal.
    @Test func contentUnderAStampThatTheServerKnowsOtherwiseGivesWay() throws {
        let scope = MemoryScope()
        let original = try TemporaryReplica(TemporaryReplica.people, id: 9)
        try original.sql("insert into person(id, name) values (\(id(1)), 'Ana')")
        let (restored, path) = try copy(original)
        original.replica = try Replica(opening: original.path)
        try original.sql("update person set name = 'Anna'")
        let stamp = try original.count("select put_stamp from roost_outbox")
        try scope.push(original.replica)
        let plain = try DatabaseQueue(path: path)
        try plain.write { try $0.execute(sql: "UPDATE roost_outbox SET put_stamp = \(stamp)") }
        try scope.pull(restored)
        func names() throws -> [String] { try plain.read { try String.fetchAll($0, sql: "SELECT name FROM person") } }
        #expect(try names() == ["Anna"])
        #expect(try restored.journal().map(\.outcome) == [.beaten])
        try restored.renew(as: ReplicaID(rawValue: 1), token: "new", role: "owner", reason: "Restored.")
        try scope.synchronise(restored)
        #expect(try names() == ["Anna"])
        #expect(try restored.journal().count == 1)
    }

    /// A delete has the time of the put that it removed. Under a lesser identity, the delete is the lesser of the two.
    @Test func renewalDerivesWhatIsVisibleFromTheStampsOfTheNewIdentity() throws {
        let scope = MemoryScope()
        let replica = try TemporaryReplica(TemporaryReplica.people, id: 9)
        try replica.sql("insert into person(id, name) values (\(id(1)), 'Ana')")
        try scope.synchronise(replica.replica)
        let time = try replica.texts("select hex(substr(put_stamp, 1, 8)) from roost_fact")
        let stamp = try #require(time.first.flatMap { Int64($0, radix: 16) })
        try replica.sql("delete from person")
        try replica.replica.settle()
        try replica.sql("update roost_outbox set del_stamp = \(stamp)")
        try replica.replica.renew(as: ReplicaID(rawValue: 1), token: "new", role: "owner", reason: "Copied.")
        #expect(try replica.texts("select name from person") == ["Ana"])
    }
}
