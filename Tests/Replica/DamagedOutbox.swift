import Foundation
import GRDB
import Replica
import RoostModel
import TestScope

/// A replica file with confirmed records and many pending changes: edits, creates, deletes and undeletes. Its outbox, or the
/// table of marks, is corrupt; all else is intact.
final class DamagedOutbox {
    let path: String
    private let folder: URL
    private var expected: [String: String] = [:]

    private static let names =
        "SELECT CASE typeof(id) WHEN 'text' THEN upper(id) ELSE hex(id) END || name FROM person"

    init(
        _ scope: MemoryScope, _ kind: TableDamage, of table: String = "roost_outbox",
        identifiers: IdentifierForm = .bytes
    ) throws {
        func id(_ number: Int) -> String { identifiers.literal(RecordID(high: 0, low: UInt64(number))) }
        let file = try TemporaryReplica(TemporaryReplica.people, identifiers: identifiers)
        folder = FileManager.default.temporaryDirectory.appending(path: "roost-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.appending(path: "damaged.roost").path
        let names = (1...300).map { "(\(id($0)), 'person \($0)')" }.joined(separator: ", ")
        try file.sql("INSERT INTO person(id, name) VALUES \(names)")
        try file.sql("DELETE FROM person WHERE id IN (\(id(7)), \(id(8)))")
        try scope.synchronise(file.replica)
        let more = (301...400).map { "(\(id($0)), 'new \($0)')" }.joined(separator: ", ")
        try file.sql("UPDATE person SET name = name || ' edited' WHERE id > \(id(100))")
        try file.sql("INSERT INTO person(id, name) VALUES \(more)")
        try file.sql(
            "DELETE FROM person WHERE id BETWEEN \(id(50)) AND \(id(90)) OR id BETWEEN \(id(350)) AND \(id(360))")
        try file.replica.write("bring one back") { try $0.undelete("Person", id: RecordID(high: 0, low: 7)) }
        if table == "roost_mark" {
            let last = (401...600).map { "(\(id($0)), 'last \($0)')" }.joined(separator: ", ")
            try file.sql("INSERT INTO person(id, name) VALUES \(last)")
            try file.sql("DELETE FROM person WHERE id BETWEEN \(id(30)) AND \(id(45)) OR id > \(id(590))")
        }
        for name in try file.texts(Self.names) {
            expected[String(name.prefix(32))] = String(name.dropFirst(32))
        }
        try file.copy(to: path)
        try kind.damage(table, of: path)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func bytes() throws -> Data { try Data(contentsOf: URL(filePath: path)) }

    func sql(_ sql: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: sql) }
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        try queue.close()
    }

    /// Returns the differences between the scope and the state before the corruption.
    func differences(_ scope: MemoryScope) throws -> [String] {
        let second = try TemporaryReplica(TemporaryReplica.people, id: 2)
        try scope.synchronise(second.replica)
        var shown: [String: String] = [:]
        for name in try second.texts(Self.names) {
            shown[String(name.prefix(32))] = String(name.dropFirst(32))
        }
        return Set(shown.keys).union(expected.keys).filter { shown[$0] != expected[$0] }.sorted()
    }
}
