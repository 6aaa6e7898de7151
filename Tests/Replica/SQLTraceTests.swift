import CSQLite
import Foundation
import Replica
import RoostModel
import Synchronization
import TestScope
import Testing

/// Every statement that a replica gives to SQLite has the schema's names in double quotes, and no values in its text.
@Suite(.serialized) struct SQLTraceTests {
    /// The prefix of all names and texts of the test.
    private static let word = "zq"
    private static let number: Int64 = 7_654_321
    private static let high: UInt64 = 0xABCD_0123_ABCD_0123

    private static let schema = """
        {"format": 1, "name": "zqtrip", "version": 1, "entities": [
          {"id": 1, "name": "Zqperson", "attributes": [{"id": 1, "name": "zqname", "type": "string"}], "relationships": [
            {"id": 5, "name": "zqspendings", "kind": "toMany", "destination": "Zqspending", "inverse": "zqpayer", "deleteRule": "cascade"},
            {"id": 6, "name": "zqapproved", "kind": "toMany", "destination": "Zqspending", "inverse": "zqapprover"},
            {"id": 7, "name": "zqguaranteed", "kind": "toMany", "destination": "Zqspending", "inverse": "zqguarantor", "deleteRule": "deny"}]},
          {"id": 2, "name": "Zqspending", "attributes": [
            {"id": 1, "name": "zqcontent", "type": "string"}, {"id": 2, "name": "zqamount", "type": "integer", "default": 0},
            {"id": 3, "name": "zqday", "type": "date", "optional": true}], "relationships": [
            {"id": 8, "name": "zqpayer", "kind": "toOne", "destination": "Zqperson", "inverse": "zqspendings"},
            {"id": 9, "name": "zqapprover", "kind": "toOne", "destination": "Zqperson", "inverse": "zqapproved"},
            {"id": 10, "name": "zqguarantor", "kind": "toOne", "destination": "Zqperson", "inverse": "zqguaranteed"},
            {"id": 11, "name": "zqtags", "kind": "manyToMany", "destination": "Zqtag", "inverse": "zqtagged"}]},
          {"id": 3, "name": "Zqtag", "attributes": [{"id": 1, "name": "zqtext", "type": "string"}], "relationships": [
            {"id": 2, "name": "zqtagged", "kind": "manyToMany", "destination": "Zqspending", "inverse": "zqtags"}]},
          {"id": 4, "name": "Zqfolder", "attributes": [{"id": 1, "name": "zqtitle", "type": "string"}], "relationships": [
            {"id": 2, "name": "zqparent", "kind": "toOne", "destination": "Zqfolder", "inverse": "zqfolders", "tree": true},
            {"id": 3, "name": "zqfolders", "kind": "toMany", "destination": "Zqfolder", "inverse": "zqparent", "deleteRule": "cascade"}]}]}
        """

    private static let statements = Mutex<Set<String>>([])

    private static let note:
        @convention(c) (UInt32, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Int32 =
            { _, _, statement, _ in
                guard let statement, let text = sqlite3_sql(OpaquePointer(statement)) else { return 0 }
                let sql = String(cString: text)
                if !sql.hasPrefix(mine) { _ = statements.withLock { $0.insert(sql) } }
                return 0
            }

    private static let extend:
        @convention(c) (OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, OpaquePointer?) -> Int32 =
            { handle, _, _ in sqlite3_trace_v2(handle, UInt32(SQLITE_TRACE_STMT), note, nil) }

    /// The prefix of the test's own statements.
    private static let mine = "/* mine */"

    private func id(_ number: UInt64) -> RecordID { RecordID(high: Self.high, low: number) }

    private func sql(_ file: TemporaryReplica, _ statements: String...) throws {
        for statement in statements { try file.sql("\(Self.mine) \(statement)") }
    }

    private func literal(_ number: UInt64) -> String {
        "x'\(String(Self.high, radix: 16))\(String(repeating: "0", count: 15))\(String(number, radix: 16))'"
    }

    @Test func namesAreQuotedAndValuesAreBound() throws {
        let extend = unsafeBitCast(Self.extend, to: (@convention(c) () -> Void).self)
        sqlite3_auto_extension(extend)
        defer { sqlite3_cancel_auto_extension(extend) }
        try work()
        // SQLite itself turns a table-valued function into such a PRAGMA. Its argument is bound.
        let found = Self.statements.withLock {
            $0.filter { $0.contains(Self.word) && !$0.contains(/^PRAGMA [a-z_]+='/) }
        }
        #expect(found.count > 100)
        for sql in found {
            let isDefinition = sql.contains(/^\s*CREATE\s/)
            // The message of a trigger has the name of its entity.
            let texts = isDefinition ? sql.replacing(/'(?:[^']|'')*'/, with: "") : sql
            let rest = texts.replacing(/"(?:[^"]|"")*"/, with: "")
            #expect(!rest.contains(Self.word), "a bare name or a value: \(sql)")
        }
        for sql in Self.statements.withLock({ $0 }) {
            #expect(!sql.contains("zqtextof") && !sql.contains("\(Self.number)"), "a value: \(sql)")
            #expect(!sql.lowercased().contains(String(Self.high, radix: 16)), "an identifier: \(sql)")
        }
    }

    /// Uses most of a replica's features: local writes, pages, delete rules, undo, undelete, links, user triggers, a rebuilt
    /// table, comparison and repair.
    private func work() throws {
        let (file, other) = (try TemporaryReplica(Self.schema), try TemporaryReplica(Self.schema, id: 2))
        let scope = MemoryScope()
        func exchange() throws { for replica in [file, other, file, other] { try scope.synchronise(replica.replica) } }
        try file.replica.write("zqlabel") { transaction in
            try transaction.put("Zqperson", id: id(1), ["zqname": .string("zqtextof1")])
            try transaction.put("Zqperson", id: id(2), ["zqname": .string("zqtextof2")])
            for number in 3..<9 as Range<UInt64> {
                try transaction.put(
                    "Zqspending", id: id(number),
                    [
                        "zqcontent": .string("zqtextof\(number)"), "zqamount": .integer(Self.number),
                        "zqday": .string("2026-01-01"), "zqpayer": .data(id(1).bytes), "zqapprover": .data(id(2).bytes),
                    ])
            }
            try transaction.put("Zqtag", id: id(9), ["zqtext": .string("zqtextof9")])
            try transaction.put("Zqfolder", id: id(10), ["zqtitle": .string("zqtextof10")])
            try transaction.put(
                "Zqfolder", id: id(11), ["zqtitle": .string("zqtextof11"), "zqparent": .data(id(10).bytes)])
        }
        try sql(
            file,
            "INSERT INTO zqspending_zqtags(source, target) VALUES (\(literal(3)), \(literal(9))), (\(literal(4)), \(literal(9)))"
        )
        try exchange()
        try sql(
            other, "UPDATE zqspending SET zqamount = zqamount + 1", "ALTER TABLE zqspending ADD COLUMN zqmine TEXT",
            "CREATE UNIQUE INDEX zqindex ON zqspending(zqcontent)",
            "CREATE TRIGGER zqtrigger AFTER UPDATE ON zqperson BEGIN UPDATE zqspending SET zqcontent = zqcontent || 'x'; END"
        )
        try exchange()
        try file.replica.write("zqdelete") { try $0.delete("Zqperson", id: id(1)) }
        try file.replica.write("zqfolder") { try $0.delete("Zqfolder", id: id(10)) }
        try sql(other, "UPDATE zqperson SET zqname = 'zqtextof20' WHERE zqname = 'zqtextof2'")
        try exchange()
        try file.replica.write("zqback") { transaction in
            try transaction.undelete("Zqperson", id: id(1))
            try transaction.undelete("Zqfolder", id: id(10))
        }
        _ = try file.replica.undo()
        _ = try file.replica.journal()
        _ = try file.replica.deleted()
        _ = try file.replica.log(limit: 10)
        try exchange()
        try sql(
            file, "PRAGMA legacy_alter_table = ON", "CREATE TABLE zqnew AS SELECT * FROM zqspending",
            "DROP TABLE zqspending",
            "ALTER TABLE zqnew RENAME TO zqspending")
        try exchange()
        try sql(file, "UPDATE zqspending SET id = randomblob(16)", "DROP TABLE zqtag")
        _ = try file.replica.status()
        _ = try file.replica.restoreMissing()
        try file.replica.pullAnew(.differs)
        try exchange()
        _ = try file.replica.check()
        _ = try other.replica.check()
        #expect(try file.replica.digest() == other.replica.digest())
    }
}
