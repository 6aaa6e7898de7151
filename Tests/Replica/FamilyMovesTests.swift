import Foundation
import GRDB
import RoostMerge
import RoostModel
import TestScope
import Testing

@testable import Replica

/// Large groups of cascade children move as a whole. Replicas show the state derived from scratch, whatever else happened to
/// some of the children.
@Suite struct FamilyMovesTests {
    enum Shape: CaseIterable { case plain, deny, twoParents }

    private static let people = 1...3
    private static let spendings = 100..<300

    @Test(arguments: 0..<4, Shape.allCases)
    func largeFamiliesMoveAsTheSlotsSay(seed: UInt64, shape: Shape) throws {
        try familiesMove(seed, shape)
    }

    /// The groups are larger than what is derived at once.
    @Test(arguments: 10..<14, Shape.allCases)
    func familiesMoveAsTheSlotsSayInTurns(seed: UInt64, shape: Shape) throws {
        try ChangesInTurns.$changesAtOnce.withValue(7) { try familiesMove(seed, shape) }
    }

    private func familiesMove(_ seed: UInt64, _ shape: Shape) throws {
        var random = SplitMix64(state: seed)
        let schema = Self.schema(shape)
        let replicas = try (1...2).map { try TemporaryReplica(schema, id: UInt64($0)) }
        let scope = MemoryScope()
        try replicas[0].sql(Self.filling(&random))
        for _ in 0..<40 {
            for replica in replicas {
                for _ in 0..<Int.random(in: 0...2, using: &random) { try Self.write(replica, &random) }
            }
            for replica in replicas + replicas { try scope.synchronise(replica.replica) }
            for replica in replicas { try check(replica, scope, schema) }
        }
    }

    /// A deleted spending that a note keeps is hidden with its family, and is deleted when the others come back.
    @Test func heldMemberOfAFamilyStaysDeleted() throws {
        var random = SplitMix64(state: 1)
        let schema = Self.schema(.deny)
        let replicas = try (1...2).map { try TemporaryReplica(schema, id: UInt64($0)) }
        let scope = MemoryScope()
        func synchronise() throws { for replica in replicas + replicas { try scope.synchronise(replica.replica) } }
        try replicas[0].sql(Self.filling(&random))
        try replicas[0].sql("UPDATE spending SET person = \(id(1)); UPDATE note SET proof = NULL")
        try synchronise()
        try replicas[0].sql("DELETE FROM spending WHERE id = \(id(101))")
        try replicas[1].sql("UPDATE note SET proof = \(id(101)) WHERE id = \(id(Self.recordOf(105)))")
        try synchronise()
        #expect(try replicas[1].count("SELECT count(*) FROM spending") == Self.spendings.count)
        try replicas[0].sql("DELETE FROM person WHERE id = \(id(1))")
        try synchronise()
        #expect(try replicas[1].count("SELECT count(*) FROM spending") == 0)
        // The note was deleted with its own spending. Without it, no record keeps the deleted spending.
        try replicas[0].sql("INSERT OR REPLACE INTO note(id, text) VALUES (\(id(Self.recordOf(105))), 'n')")
        try synchronise()
        try replicas[0].replica.write("undelete") { try $0.undelete("Person", id: RecordID(high: 0, low: 1)) }
        try synchronise()
        for replica in replicas { try check(replica, scope, schema) }
        #expect(try replicas[1].count("SELECT count(*) FROM spending") == Self.spendings.count - 1)
    }

    /// A large move switches constraint checks off for its own duration only, even if it fails.
    @Test(arguments: [false, true]) func largeMoveLeavesChecksOn(fails: Bool) throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        try replica.sql(
            """
            INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana');
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
            INSERT INTO spending(content, person) SELECT 'spending ' || i, \(id(1)) FROM n
            """)
        try replica.replica.write("delete") { try $0.delete("Person", id: RecordID(high: 0, low: 1)) }
        if fails {
            try replica.sql("CREATE INDEX refuse ON spending(json(content))")
        }
        let undelete = {
            try replica.replica.write("undelete") { try $0.undelete("Person", id: RecordID(high: 0, low: 1)) }
        }
        try undelete()
        #expect(try replica.count("SELECT count(*) FROM spending") == (fails ? 0 : 3000))
        #expect(try replica.count("SELECT count(*) FROM roost_unfit") == (fails ? 3000 : 0))
        if fails { try replica.sql("DROP INDEX refuse") }
        #expect(throws: ReplicaError.self) {
            try replica.replica.write("wrong") { transaction in
                let values: [String: Value] = ["content": .string("x"), "person": .data([1, 2, 3])]
                try transaction.put("Spending", id: RecordID(high: 0, low: 9), values)
            }
        }
        // Triggers are enabled again too.
        try replica.replica.write("right") { transaction in
            try transaction.put("Person", id: RecordID(high: 0, low: 8), ["name": .string("Bo")])
        }
        #expect(try replica.count("SELECT count(*) FROM roost_outbox WHERE id = \(id(8))") == 1)
    }

    /// A corrupt row is no member of the family: it is not moved, and no member is left behind because of it.
    @Test func damagedRowIsNoMember() throws {
        var random = SplitMix64(state: 1)
        let replica = try TemporaryReplica(Self.schema(.plain))
        try replica.sql(Self.filling(&random))
        try replica.sql(
            "UPDATE spending SET person = \(id(1)); UPDATE spending SET person = \(id(2)) WHERE id = \(id(100))")
        try replica.sql("DELETE FROM person WHERE id IN (\(id(1)), \(id(2)))")
        try replica.replica.settle()
        try replica.sql(
            """
            UPDATE roost_control SET applying = 1000000;
            UPDATE roost_hidden_spending SET id = x'00' WHERE id = \(id(101));
            UPDATE roost_control SET applying = 0
            """)
        try replica.replica.write("undelete") { transaction in
            for person in 1...2 as ClosedRange<UInt64> {
                try transaction.undelete("Person", id: RecordID(high: 0, low: person))
            }
        }
        #expect(try replica.count("SELECT count(*) FROM spending") == Self.spendings.count - 1)
        #expect(try replica.count("SELECT count(*) FROM roost_hidden_spending WHERE id = x'00'") == 1)
    }

    /// Deletes and undeletes people repeatedly, and sometimes changes a few spendings.
    private static func write(_ replica: TemporaryReplica, _ random: inout SplitMix64) throws {
        let person = RecordID(high: 0, low: UInt64(Int.random(in: people, using: &random)))
        let first = Int.random(in: spendings, using: &random)
        let few = "id BETWEEN \(id(first)) AND \(id(first + [0, 0, 5, 40].randomElement(using: &random)!))"
        let other = Bool.random(using: &random) ? "NULL" : id(Int.random(in: people, using: &random))
        do {
            switch Int.random(in: 0..<13, using: &random) {
            case 0, 1: try replica.sql("DELETE FROM person WHERE id = \(id(Int(person.low)))")
            case 2...4: try replica.replica.write("undelete") { try $0.undelete("Person", id: person) }
            case 5: try replica.sql("INSERT OR REPLACE INTO person(id, name) VALUES (\(id(Int(person.low))), 'new')")
            case 6, 7: try replica.sql("DELETE FROM spending WHERE \(few)")
            case 8: try replica.sql("UPDATE spending SET person = \(other) WHERE \(few)")
            case 9: try replica.sql("UPDATE spending SET approver = \(other) WHERE \(few)")
            case 10: try replica.sql("UPDATE spending SET other = \(other) WHERE \(few)")
            case 11:
                let proof = Bool.random(using: &random) ? "NULL" : id(first)
                try replica.sql("UPDATE note SET proof = \(proof) WHERE id = \(id(recordOf(first)))")
            default:
                // One transaction with an edit of children and a delete of a parent.
                try replica.sql(
                    "UPDATE spending SET content = 'x' WHERE \(few); DELETE FROM person WHERE id = \(id(2))")
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            // A deny rule refused the write.
        } catch let error as ReplicaError where error.code == .unknown {
            // There is nothing to undelete.
        }
    }

    private func check(_ replica: TemporaryReplica, _ scope: MemoryScope, _ schema: String) throws {
        let facts = try scope.states.mapValues { try RecordFacts($0) }
        let derived = VisibleState(facts, rules: ReferenceRules(try Schema(json: schema)))
        for (entity, table) in [(1, "person"), (2, "spending"), (3, "note")] {
            let shown = try Set(replica.plain.read { try Data.fetchAll($0, sql: "SELECT id FROM \(table)") })
            let visible = facts.keys.filter { $0.entity == EntityID(UInt32(entity)) && derived.isVisible($0) }
            #expect(shown == Set(visible.map { Data($0.id.bytes) }), "\(table)")
        }
        let masked = try replica.count(
            "SELECT count(*) FROM roost_raw WHERE id IN (SELECT id FROM spending UNION SELECT id FROM note)")
        let readsNil = facts.keys.filter { derived.isVisible($0) }
            .reduce(0) { $0 + derived.references(of: $1).count { $0.target == nil } }
        #expect(masked == readsNil)
        #expect(try replica.replica.digest() == scope.digest)
    }

    /// Returns the number of an existing note near a spending.
    private static func recordOf(_ spending: Int) -> Int { 1000 + spending + (7 - spending % 7) % 7 }

    private static func filling(_ random: inout SplitMix64) -> String {
        var statements = people.map { "INSERT INTO person(id, name) VALUES (\(id($0)), 'p')" }
        for spending in spendings {
            let person = id(Int.random(in: 1...2, using: &random))
            statements.append("INSERT INTO spending(id, content, person) VALUES (\(id(spending)), 's', \(person))")
            if spending.isMultiple(of: 7) {
                statements.append(
                    "INSERT INTO note(id, text, spending, proof) VALUES (\(id(spending + 1000)), 'n', \(id(spending)), \(id(spending + 1)))"
                )
            }
        }
        return statements.joined(separator: ";\n")
    }

    private static func schema(_ shape: Shape) -> String {
        func toMany(_ id: Int, _ name: String, _ destination: String, _ inverse: String, _ rule: String) -> String {
            """
            {"id": \(id), "name": "\(name)", "kind": "toMany", "destination": "\(destination)", "inverse": "\(inverse)", \
            "deleteRule": "\(rule)"}
            """
        }
        func toOne(_ id: Int, _ name: String, _ destination: String, _ inverse: String) -> String {
            """
            {"id": \(id), "name": "\(name)", "kind": "toOne", "destination": "\(destination)", "inverse": "\(inverse)", \
            "optional": true}
            """
        }
        func entity(_ id: Int, _ name: String, _ attribute: String, _ relationships: [String]) -> String {
            """
            {"id": \(id), "name": "\(name)", "attributes": [{"id": 1, "name": "\(attribute)", "type": "string"}], \
            "relationships": [\(relationships.joined(separator: ", "))]}
            """
        }
        let other = shape == .deny ? "deny" : shape == .twoParents ? "cascade" : "nullify"
        let person = [
            toMany(5, "spendings", "Spending", "person", "cascade"),
            toMany(6, "approved", "Spending", "approver", "nullify"), toMany(7, "others", "Spending", "other", other),
        ]
        let spending = [
            toOne(5, "person", "Person", "spendings"), toOne(6, "approver", "Person", "approved"),
            toOne(7, "other", "Person", "others"), toMany(8, "notes", "Note", "spending", "cascade"),
            toMany(9, "proofs", "Note", "proof", shape == .deny ? "deny" : "nullify"),
        ]
        let note = [toOne(8, "spending", "Spending", "notes"), toOne(9, "proof", "Spending", "proofs")]
        return """
            {"format": 1, "name": "families", "version": 1, "entities": [\(entity(1, "Person", "name", person)), \
            \(entity(2, "Spending", "content", spending)), \(entity(3, "Note", "text", note))]}
            """
    }
}
