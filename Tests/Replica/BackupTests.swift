import Foundation
import Replica
import RoostModel
import Testing

/// Copies of a replica that is in use.
@Suite struct BackupTests {
    @Test func theCopyHasWhatIsCommittedAndWaits() throws {
        let test = try TemporaryReplica(TemporaryReplica.people)
        try test.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        try test.replica.write("add Bob") {
            try $0.put("Person", id: RecordID(high: 0, low: 2), ["name": .string("Bob")])
        }
        let path = test.path + "-copy.roost"
        try test.replica.backup(to: path)
        let copy = try Replica(opening: path)
        #expect(try copy.select("SELECT name FROM person ORDER BY id") == [[.string("Ana")], [.string("Bob")]])
        #expect(try copy.status().waiting == 2)
        #expect(try copy.check().isSound)
        // The token is in a file of its own, which is not copied.
        #expect(try copy.membership()?.hasCredentials == false)
        try copy.close()
        // The original goes on, and the copy does not follow.
        try test.sql("INSERT INTO person(id, name) VALUES (\(id(3)), 'Cid')")
        let again = try Replica(opening: path)
        #expect(try again.select("SELECT count(*) FROM person") == [[.integer(2)]])
        try again.close()
    }

    @Test func nothingIsReplacedAndNothingIsLeft() throws {
        let test = try TemporaryReplica(TemporaryReplica.people)
        let taken = #expect(throws: ReplicaError.self) { try test.replica.backup(to: test.path) }
        #expect(taken?.code == .exists)
        let missing = #expect(throws: ReplicaError.self) {
            try test.replica.backup(to: test.path + "-no-folder/copy.roost")
        }
        #expect(missing?.code == .notFound)
        let folder = URL(fileURLWithPath: test.path).deletingLastPathComponent().path
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(!names.contains { $0.contains("copy") }, "\(names)")
        #expect(try test.replica.check().isSound)
    }
}
