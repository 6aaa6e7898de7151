import Foundation
import TestProcesses
import Testing

/// Bytes of a row that were damaged where SQLite has no checksum: found by the real programs, and repaired by a real server.
@Suite(.serialized) struct DamagedContentTests {
    /// A replica with two confirmed persons, and one that waits.
    private func makeReplica(_ stage: Stage) throws -> String {
        let replica = try stage.makeScope()
        try Programs.sql(replica, "insert into person(name) values ('Anastasia'), ('Bob')")
        try Programs.check("roost", "sync", replica)
        try Programs.sql(replica, "insert into person(name) values ('Chloé')")
        return replica
    }

    /// Changes a byte in the file itself.
    private func damage(_ replica: String) throws {
        try Programs.sql(replica, "pragma wal_checkpoint(truncate)")
        var bytes = try Data(contentsOf: URL(filePath: replica))
        let place = try #require(bytes.range(of: Data("Anastasia".utf8)))
        bytes[place.lowerBound + 4] ^= 1
        try bytes.write(to: URL(filePath: replica))
        #expect(try names(replica) == ["Anasuasia", "Bob", "Chloé"])
    }

    private func names(_ replica: String) throws -> [String] {
        try Programs.sql(replica, "select name from person order by name").lines
    }

    @Test func checkSaysItAndTheNextSyncRepairsIt() throws {
        let stage = try Stage()
        let replica = try makeReplica(stage)
        #expect(try Programs.check("roost", "check", replica).standard.contains("as the server has confirmed them"))
        try damage(replica)
        let check = try Programs.run("roost", ["check", replica])
        #expect(check.status == 65)
        #expect(check.standard.contains("file      whole"), "\(check)")
        #expect(check.standard.contains("1 of 2 records are not as the server has confirmed them"), "\(check)")
        #expect(check.standard.contains("roost sync"), "\(check)")
        let json = try Programs.run("roost", ["check", replica, "--json"])
        #expect(json.status == 65)
        #expect(json.standard.contains(#""sound":false"#), "\(json)")
        #expect(try Programs.check("roost", "status", replica).standard.contains("damaged   "))
        try repair(replica)
    }

    @Test func syncFindsItByItselfWhenItsTimeHasCome() throws {
        let stage = try Stage()
        let replica = try makeReplica(stage)
        try damage(replica)
        try Programs.check("roost", "sync", replica)
        #expect(try names(replica) == ["Anasuasia", "Bob", "Chloé"], "looked at a moment ago")
        try Programs.sql(replica, "update roost_state set value = value - 8 * 86400000 where name = 'scrubbed'")
        try Programs.sql(replica, "insert into person(name) values ('Dan')")
        let output = try Programs.check("roost", "sync", replica)
        #expect(output.standard.contains("1 records were damaged here and were repaired"), "\(output)")
        #expect(try names(replica) == ["Anastasia", "Bob", "Chloé", "Dan"])
        #expect(try Programs.check("roost", "log", replica).standard.contains("is not what the server has confirmed"))
        try expectAgreement(replica)
    }

    private func repair(_ replica: String) throws {
        let output = try Programs.check("roost", "sync", replica)
        #expect(output.standard.contains("1 records were damaged here and were repaired"), "\(output)")
        #expect(try names(replica) == ["Anastasia", "Bob", "Chloé"])
        #expect(try Programs.check("roost", "log", replica).standard.contains("is not what the server has confirmed"))
        #expect(try !Programs.check("roost", "status", replica).standard.contains("damaged   "))
        try expectAgreement(replica)
    }

    private func expectAgreement(_ replica: String) throws {
        try Programs.check("roost", "check", replica)
        #expect(
            try Programs.check("roost", "digest", replica).standard
                == Programs.check("roost", "digest", replica, "--server").standard)
        #expect(try Programs.check("roost", "status", replica).standard.contains("waiting   nothing"))
    }
}
