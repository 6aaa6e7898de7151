import Foundation
import TestProcesses
import Testing

/// Corrupt bytes of a row where SQLite has no checksum. The real programs detect them, and a real server supplies the repair.
@Suite(.serialized) struct DamagedContentTests {
    /// Makes a replica with two confirmed persons and a pending one.
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
        try Programs.sql(replica, "update roost_control set scrubbed = scrubbed - 8 * 86400000")
        try Programs.sql(replica, "insert into person(name) values ('Dan')")
        let output = try Programs.check("roost", "sync", replica)
        #expect(output.standard.contains("1 records were damaged here and were repaired"), "\(output)")
        #expect(try names(replica) == ["Anastasia", "Bob", "Chloé", "Dan"])
        #expect(try Programs.check("roost", "log", replica).standard.contains("is not what the server has confirmed"))
        try expectAgreement(replica)
    }

    // MARK: Corruption that SQLite detects

    /// Zeroes the root page of a table or an index.
    private func damage(_ replica: String, rootOf name: String) throws {
        let look = "select rootpage from sqlite_schema where name = '\(name)'; pragma page_size"
        let numbers = try Programs.sql(replica, look).lines.compactMap { Int($0) }
        try Programs.sql(replica, "pragma wal_checkpoint(truncate)")
        let (page, size) = (numbers[0], numbers[1])
        let handle = try FileHandle(forWritingTo: URL(filePath: replica))
        try handle.seek(toOffset: UInt64((page - 1) * size))
        try handle.write(contentsOf: Data(count: size))
        try handle.close()
    }

    private func expectRepaired(_ replica: String) throws {
        #expect(try names(replica).filter { $0 != "Dan" } == ["Anastasia", "Bob", "Chloé"])
        #expect(try Programs.sql(replica, "pragma integrity_check").lines == ["ok"])
        #expect(
            try Programs.check("roost", "log", replica).standard.contains("was made anew from what could be read of it")
        )
        try expectAgreement(replica)
    }

    /// A sync reads some of these pages; only the check of the whole file finds the others.
    @Test(arguments: ["person", "roost_fact", "sqlite_autoindex_person_1", "roost_hidden_spending"])
    func syncMakesADamagedFileAnew(_ name: String) throws {
        let stage = try Stage()
        let replica = try makeReplica(stage)
        if name == "person" { try Programs.check("roost", "sync", replica) }
        try Programs.sql(replica, "update roost_control set scrubbed = scrubbed - 8 * 86400000")
        try damage(replica, rootOf: name)
        let output = try Programs.check("roost", "sync", replica)
        #expect(output.standard.contains("The file was damaged, and was made anew: "), "\(output)")
        try expectRepaired(replica)
        #expect(try Programs.check("roost", "repair", replica).standard == "The file is whole; nothing was changed.\n")
    }

    @Test func repairNeedsNoServer() throws {
        let stage = try Stage()
        let replica = try makeReplica(stage)
        stage.server?.kill()
        try damage(replica, rootOf: "sqlite_autoindex_person_1")
        #expect(try Programs.run("roost", ["check", replica]).standard.contains("roost repair"))
        let json = try Programs.check("roost", "repair", replica, "--json").standard
        #expect(json.contains(#""repaired":true"#) && json.contains(#""damagedTables":[]"#), "\(json)")
        #expect(try names(replica) == ["Anastasia", "Bob", "Chloé"])
        try stage.startServer()
        try Programs.check("roost", "sync", replica)
        try expectRepaired(replica)
    }

    /// The identity of the replica cannot be read. The file stays as it is, and the message says what to do.
    @Test func whatCannotBeRepairedIsSaid() throws {
        let stage = try Stage()
        let replica = try makeReplica(stage)
        try damage(replica, rootOf: "roost_state")
        let before = try Data(contentsOf: URL(filePath: replica))
        for command in ["sync", "repair"] {
            let output = try Programs.run("roost", [command, replica])
            #expect(output.status == 65)
            #expect(
                output.error.contains("Cannot repair the replica") && output.error.contains("join the scope again"),
                "\(output)")
        }
        #expect(try Data(contentsOf: URL(filePath: replica)) == before)
    }

    /// roostd continues with the file that it has repaired.
    @Test func daemonRepairsTheFileThatItHasOpen() throws {
        let stage = try Stage()
        let replica = try makeReplica(stage)
        try Programs.check("roost", "sync", replica)
        try Programs.sql(replica, "update roost_control set scrubbed = scrubbed - 8 * 86400000")
        try damage(replica, rootOf: "roost_hidden_spending")
        let daemon = try RunningProgram("roostd", [replica], log: stage.folder.appending(path: "roostd.log"))
        let isRepaired = try eventually {
            try Programs.sql(replica, "pragma integrity_check").lines == ["ok"]
        }
        #expect(isRepaired, "\(daemon.log)")
        try Programs.sql(replica, "insert into person(name) values ('Dan')")
        let isSent = try eventually {
            try Programs.check("roost", "status", replica).standard.contains("waiting   nothing")
                && Programs.check("roost", "digest", replica).standard
                    == Programs.check("roost", "digest", replica, "--server").standard
        }
        #expect(isSent, "\(daemon.log)")
        #expect(daemon.isRunning)
        #expect(daemon.terminate() == 0)
        try expectRepaired(replica)
    }

    // MARK: Checks

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
