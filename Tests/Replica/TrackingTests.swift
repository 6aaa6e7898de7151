import Foundation
import GRDB
import Replica
import RoostMerge
import RoostModel
import Testing

/// The effects of Roost's triggers for a program without Roost's code.
@Suite struct TrackingTests {
    private let replica: TemporaryReplica

    init() throws {
        replica = try TemporaryReplica(TemporaryReplica.people)
        try replica.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana'), (\(id(2)), 'Bob')")
    }

    /// Returns the number of outbox entries after settling.
    private func outbox(_ condition: String = "1") throws -> Int {
        try replica.replica.settle()
        return try replica.count("SELECT count(*) FROM roost_outbox WHERE \(condition)")
    }

    @Test func insertIsMarkedWithItsRecord() throws {
        #expect(try outbox("put_stamp IS NOT NULL AND del_stamp IS NULL") == 2)
    }

    @Test func insertWithoutIdentifierGetsOne() throws {
        try replica.sql("INSERT INTO person(name) VALUES ('Chloé')")
        #expect(try replica.count("SELECT length(id) FROM person WHERE name = 'Chloé'") == 16)
    }

    @Test func rolledBackWriteLeavesNoMark() throws {
        try replica.plain.inDatabase { database in
            try database.execute(sql: "BEGIN; INSERT INTO person(name) VALUES ('x'); ROLLBACK")
        }
        #expect(try outbox() == 2)
    }

    @Test func replaceIsAPut() throws {
        try replica.sql("INSERT OR REPLACE INTO person(id, name) VALUES (\(id(1)), 'Anna')")
        #expect(try outbox("del_stamp IS NOT NULL") == 0)
        #expect(try outbox() == 2)
    }

    @Test func writingAgainRaisesTheStamp() throws {
        try replica.replica.settle()
        let before = try replica.count("SELECT put_stamp FROM roost_outbox WHERE id = \(id(1))")
        try replica.sql("UPDATE person SET name = 'Anna' WHERE id = \(id(1))")
        #expect(try replica.count("SELECT put_stamp FROM roost_outbox WHERE id = \(id(1))") > before)
    }

    @Test func renamingTheIdentifierDeletesTheOldRecord() throws {
        try replica.sql("UPDATE person SET id = \(id(9)) WHERE id = \(id(1))")
        #expect(try outbox("id = \(id(1)) AND del_stamp > put_stamp") == 1)
        #expect(try outbox("id = \(id(9)) AND put_stamp IS NOT NULL") == 1)
    }

    @Test func deleteHidesChildrenAtOnceAndMarksOnlyItself() throws {
        try replica.sql("INSERT INTO spending(content, person) VALUES ('pizza', \(id(1))), ('taxi', \(id(2)))")
        let marks = try outbox()
        try replica.sql("DELETE FROM person WHERE id = \(id(1))")
        #expect(try replica.texts("SELECT content FROM spending") == ["taxi"])
        #expect(try outbox() == marks)
        #expect(try outbox("del_stamp IS NOT NULL") == 1)
    }

    @Test func nullifyReadsNilAndKeepsTheStoredReference() throws {
        try replica.sql("INSERT INTO spending(content, approver) VALUES ('pizza', \(id(1)))")
        try replica.sql("DELETE FROM person WHERE id = \(id(1))")
        #expect(try replica.count("SELECT count(*) FROM spending WHERE approver IS NULL") == 1)
        try replica.replica.write("undelete") { try $0.undelete("Person", id: RecordID(high: 0, low: 1)) }
        #expect(try replica.count("SELECT count(*) FROM spending WHERE approver = \(id(1))") == 1)
    }

    /// A spending with an invisible approver is deleted, and its identifier is used again: the old reference is gone.
    @Test(arguments: [true, false])
    func writingOverADeletedRecordForgetsWhatItReferredTo(withLibrary: Bool) throws {
        let spending = RecordID(high: 0, low: 3)
        for approver in ["NULL", id(1)] {
            try replica.sql(
                "INSERT OR REPLACE INTO spending(id, content, approver) VALUES (\(id(3)), 'pizza', \(id(2)))")
            try replica.sql("DELETE FROM person WHERE id = \(id(2)); DELETE FROM spending WHERE id = \(id(3))")
            if withLibrary {
                var values: [String: Value] = ["content": .string("taxi")]
                if approver != "NULL" { values["approver"] = .data(RecordID(high: 0, low: 1).bytes) }
                try replica.replica.write("taxi") { try $0.put("Spending", id: spending, values) }
            } else {
                try replica.sql("INSERT INTO spending(id, content, approver) VALUES (\(id(3)), 'taxi', \(approver))")
            }
            try replica.replica.write("undelete") { try $0.undelete("Person", id: RecordID(high: 0, low: 2)) }
            #expect(try replica.count("SELECT count(*) FROM spending WHERE approver IS \(approver)") == 1)
            #expect(try replica.count("SELECT count(*) FROM roost_raw") == 0)
        }
    }

    @Test func undeleteBringsBackAReferenceThatReadsNil() throws {
        try replica.sql("INSERT INTO spending(id, content, approver) VALUES (\(id(3)), 'pizza', \(id(2)))")
        try replica.sql("DELETE FROM person WHERE id = \(id(2)); DELETE FROM spending WHERE id = \(id(3))")
        try replica.replica.write("undelete") { try $0.undelete("Spending", id: RecordID(high: 0, low: 3)) }
        #expect(try replica.count("SELECT count(*) FROM spending WHERE approver IS NULL") == 1)
        try replica.replica.write("undelete") { try $0.undelete("Person", id: RecordID(high: 0, low: 2)) }
        #expect(try replica.count("SELECT count(*) FROM spending WHERE approver = \(id(2))") == 1)
    }

    @Test func denyStopsTheStatementAndSaysWhatRefers() throws {
        try replica.sql("INSERT INTO spending(content, guarantor) VALUES ('pizza', \(id(1)))")
        let error = #expect(throws: DatabaseError.self) { try replica.sql("DELETE FROM person WHERE id = \(id(1))") }
        #expect(
            error?.message
                == "Cannot delete this person: a spending refers to it as its guarantor. "
                + "Delete that one, or give it another guarantor, first.")
        #expect(try replica.count("SELECT count(*) FROM person") == 2)
    }

    /// The record that kept another is deleted and comes back without the reference in one transaction. Its old row is still
    /// hidden then.
    @Test func keptRecordGoesWhenItsHolderIsWrittenAnewWithoutTheReference() throws {
        try replica.sql("INSERT INTO spending(id, content, guarantor) VALUES (\(id(3)), 'pizza', \(id(1)))")
        let delete = HybridTimestamp(
            milliseconds: UInt64(Date().timeIntervalSince1970 * 1000) + 60_000, counter: 0,
            replica: ReplicaID(rawValue: 9))
        let person = RecordKey(entity: EntityID(1), id: RecordID(high: 0, low: 1))
        _ = try replica.replica.apply([RecordState(key: person, delete: delete)], checkpoint: [1], serverTime: nil)
        #expect(try replica.count("SELECT count(*) FROM person WHERE id = \(id(1))") == 1)
        try replica.sql(
            "DELETE FROM spending WHERE id = \(id(3)); INSERT INTO spending(id, content) VALUES (\(id(3)), 'pasta')")
        try replica.replica.settle()
        #expect(try replica.count("SELECT count(*) FROM person WHERE id = \(id(1))") == 0)
        #expect(try replica.count("SELECT count(*) FROM spending") == 1)
    }

    @Test(arguments: [
        "INSERT INTO spending(content, amount) VALUES ('x', 'twelve')", "INSERT INTO spending(content) VALUES (NULL)",
        "INSERT INTO spending(content, day) VALUES ('x', '2026-02-30')",
        "INSERT INTO spending(content, day) VALUES ('x', '14/07/2026')",
        "INSERT INTO spending(content, paid) VALUES ('x', 2)",
        "INSERT INTO spending(content, token) VALUES ('x', x'00')",
        "INSERT INTO spending(content, rate) VALUES ('x', 'a')",
        "INSERT INTO spending(content, person) VALUES ('x', x'00')", "INSERT INTO person(id, name) VALUES (x'00', 'x')",
    ])
    func tableIsAsStrictAsTheSchema(_ statement: String) throws {
        #expect(throws: DatabaseError.self) { try replica.sql(statement) }
    }

    @Test func linksOfAManyToManyRelationshipGoWithEitherEndAndComeBack() throws {
        let tags = try TemporaryReplica(
            """
            {"format": 1, "name": "tags", "version": 1, "entities": [
              {"id": 1, "name": "Note", "attributes": [{"id": 1, "name": "text", "type": "string"}], "relationships": [
                {"id": 2, "name": "tags", "kind": "manyToMany", "destination": "Tag", "inverse": "notes"}]},
              {"id": 2, "name": "Tag", "attributes": [{"id": 1, "name": "name", "type": "string"}], "relationships": [
                {"id": 2, "name": "notes", "kind": "manyToMany", "destination": "Note", "inverse": "tags"}]}]}
            """)
        try tags.sql(
            "INSERT INTO note(id, text) VALUES (\(id(1)), 'n'); INSERT INTO tag(id, name) VALUES (\(id(2)), 't')")
        try tags.sql("INSERT INTO note_tags(source, target) VALUES (\(id(1)), \(id(2)))")
        try tags.sql("DELETE FROM tag")
        #expect(try tags.count("SELECT count(*) FROM note_tags") == 0)
        try tags.replica.write("undelete") { try $0.undelete("Tag", id: RecordID(high: 0, low: 2)) }
        #expect(try tags.count("SELECT count(*) FROM note_tags") == 1)
    }

    /// A statement that deletes parent and child deletes both, in any order of their rows.
    @Test func deleteOfAWholeHierarchyMarksEveryRecord() throws {
        let nodes = try TemporaryReplica(ReplayHistory.schemaText)
        try nodes.sql("INSERT INTO node(id, t) VALUES (\(id(1)), NULL), (\(id(2)), \(id(1))), (\(id(3)), \(id(2)))")
        try nodes.sql("DELETE FROM node")
        try nodes.replica.settle()
        #expect(try nodes.count("SELECT count(*) FROM roost_outbox WHERE del_stamp > put_stamp") == 3)
    }

    @Test func childOfADeletedParentIsHiddenWhenSettled() throws {
        try replica.sql("DELETE FROM person WHERE id = \(id(1))")
        try replica.sql("INSERT INTO spending(content, person) VALUES ('late', \(id(1)))")
        try replica.replica.settle()
        #expect(try replica.texts("SELECT content FROM spending") == [])
        let entry = try #require(try replica.replica.journal().first)
        #expect(entry.outcome == .hidden)
        #expect(entry.put != nil)
    }

    /// A masked reference and a property of a later schema follow a row that gets another identifier.
    @Test(arguments: ["UPDATE", "UPDATE OR REPLACE"])
    func anotherIdentifierKeepsWhatNoColumnShows(update: String) throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql(
            """
            INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana'), (\(id(2)), 'Bob');
            INSERT INTO spending(id, content, approver) VALUES (\(id(8)), 'taxi', \(id(1))), (\(id(9)), 'bus', \(id(2)))
            """)
        try file.sql("DELETE FROM person WHERE id = \(id(1)); DELETE FROM person WHERE id = \(id(2))")
        _ = try file.replica.status()
        let target = update == "UPDATE" ? 10 : 9
        try file.sql("\(update) spending SET id = \(id(target)) WHERE id = \(id(8))")
        try file.replica.settle()
        try file.replica.write("back") { try $0.undelete("Person", id: RecordID(high: 0, low: 1)) }
        #expect(
            try file.texts("SELECT p.name FROM spending s JOIN person p ON p.id = s.approver WHERE s.content = 'taxi'")
                == ["Ana"])
        try file.replica.write("back") { try $0.undelete("Person", id: RecordID(high: 0, low: 2)) }
        #expect(
            try file.texts("SELECT p.name FROM spending s JOIN person p ON p.id = s.approver WHERE s.content = 'taxi'")
                == ["Ana"])
    }
}
