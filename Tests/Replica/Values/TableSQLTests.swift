import Foundation
import GRDB
import RoostModel
import Testing

@testable import Replica

/// Tables are readable for every program, and defaults are exactly the schema's.
@Suite struct TableSQLTests {
    /// SQLite 3.40 does not classify `json_valid` as innocuous.
    @Test func aReaderThatTrustsNoSchemaReadsTablesWithJSON() throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql("INSERT INTO spending(content, split) VALUES ('tea', '{}')")
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA trusted_schema = OFF") }
        let reader = try DatabaseQueue(path: file.path, configuration: configuration)
        #expect(try reader.read { try String.fetchAll($0, sql: "SELECT content FROM spending") } == ["tea"])
    }

    @Test(arguments: [
        Value.string("it's"), .string("a'\u{301}b'"), .string("'"), .string(""), .string("a\0'b"), .string("e\u{301}"),
        .double(.infinity), .double(-.infinity), .double(.leastNonzeroMagnitude), .double(1e300), .double(-0.5),
        .integer(.min),
        .boolean(true),
        .data([0, 255]),
    ])
    func aLiteralIsItsValue(_ value: Value) throws {
        let database = try DatabaseQueue()
        let read = try database.write { database in
            try database.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, v DEFAULT \(TableSQL.literal(value)))")
            try database.execute(sql: "INSERT INTO t DEFAULT VALUES")
            let kind: Attribute.Kind = if case .boolean = value { .boolean } else { .data }
            return try database.query("SELECT v FROM t").first { $0.value(0, as: kind) }
        }
        #expect(read == value)
    }
}
