import Foundation
import TestProcesses
import Testing

/// Version 1.0 with much data on three devices. Version 1.1 adds an entity, removes one and changes a third. All programs are
/// real.
@Suite(.serialized) struct MigrationTests {
    private static let first = #"""
        {"format": 1, "name": "library", "version": 1, "entities": [
          {"id": 1, "name": "Author", "attributes": [{"id": 1, "name": "name", "type": "string"}], "relationships": [
            {"id": 2, "name": "books", "kind": "toMany", "destination": "Book", "inverse": "author", "deleteRule": "cascade"}]},
          {"id": 2, "name": "Book", "attributes": [{"id": 1, "name": "title", "type": "string"}, {"id": 2, "name": "price", "type": "integer"},
            {"id": 4, "name": "remark", "type": "string", "optional": true}], "relationships": [
            {"id": 3, "name": "author", "kind": "toOne", "destination": "Author", "inverse": "books"}]},
          {"id": 3, "name": "Loan", "attributes": [{"id": 1, "name": "reader", "type": "string"}]}]}
        """#

    /// In the second version, books are volumes with a shelf and a price with cents, and loans are gone.
    private static let second = #"""
        {"format": 1, "name": "library", "version": 2, "entities": [
          {"id": 1, "name": "Author", "attributes": [{"id": 1, "name": "name", "type": "string"}], "relationships": [
            {"id": 2, "name": "volumes", "kind": "toMany", "destination": "Volume", "inverse": "author", "deleteRule": "cascade"}]},
          {"id": 2, "name": "Volume", "attributes": [{"id": 1, "name": "title", "type": "string"},
            {"id": 2, "name": "price", "type": "double", "widens": "integer"}, {"id": 5, "name": "pages", "type": "integer", "default": 100}], "relationships": [
            {"id": 3, "name": "author", "kind": "toOne", "destination": "Author", "inverse": "volumes"},
            {"id": 6, "name": "shelf", "kind": "toOne", "destination": "Shelf", "inverse": "volumes"}]},
          {"id": 4, "name": "Shelf", "attributes": [{"id": 1, "name": "room", "type": "string"}], "relationships": [
            {"id": 2, "name": "volumes", "kind": "toMany", "destination": "Volume", "inverse": "shelf"}]}]}
        """#

    private func lines(_ file: String, _ sql: String) throws -> [String] { try Programs.sql(file, sql).lines }

    private func sync(_ files: String...) throws {
        for file in files { try Programs.check("roost", "sync", file) }
    }

    @Test func threeDevicesChangeOverOneByOne() throws {
        let stage = try Stage()
        let ana = try stage.makeScope(schema: Self.first)
        let bob = try stage.join(ana, as: "b.roost")
        let eva = try stage.join(ana, as: "c.roost")
        let later = stage.path("second.json")
        try Self.second.write(toFile: later, atomically: true, encoding: .utf8)
        for (number, file) in [ana, bob, eva].enumerated() {
            let author = id(100 + number)
            try Programs.sql(file, "insert into author(id, name) values (\(author), 'author \(number)')")
            try Programs.sql(
                file,
                """
                with recursive n(i) as (select 0 union all select i + 1 from n where i < 199)
                insert into book(title, price, remark, author) select 'book \(number) ' || i, i, 'old', \(author) from n
                """)
            try Programs.sql(file, "insert into loan(reader) values ('reader \(number)')")
        }
        try sync(ana, bob, eva, ana, bob)

        // Ana migrates with an unsent change. Bob and Eva do not migrate yet, and understand her changes only in part.
        try Programs.sql(ana, "update book set title = 'renamed' where title = 'book 1 7'")
        #expect(
            try Programs.check("roost", "migrate", ana, later).standard
                == "Migrated from version 1 of the schema to version 2.\n")
        #expect(try lines(ana, "select count(*), sum(price), min(pages) from volume") == ["600|59700.0|100"])
        try Programs.check("roost", "schema", "publish", ana, later)
        try Programs.sql(
            ana,
            """
            insert into shelf(id, room) values (\(id(1)), 'attic');
            update volume set shelf = \(id(1)), pages = 250 where title = 'book 0 1';
            update volume set price = 2.5 where title = 'book 0 2'
            """)
        try sync(ana, bob, eva)
        #expect(try lines(bob, "select count(*) from book") == ["599"], "one has a price that version 1 does not know")
        #expect(try lines(bob, "select title from book where title = 'renamed'") == ["renamed"])
        #expect(try Programs.check("roost", "status", bob).standard.contains("the scope has version 2"))

        // Bob edits in the old version what Ana wrote in the new one. Eva is offline with a loan and an author to delete.
        try Programs.sql(bob, "update book set remark = 'Bob was here' where title = 'book 0 1'")
        try Programs.sql(eva, "insert into loan(reader) values ('late'); delete from author where name = 'author 2'")
        try sync(bob, ana)
        #expect(
            try lines(ana, "select pages, hex(shelf) from volume where title = 'book 0 1'") == ["250|\(Self.hex(1))"])

        // Bob and Eva migrate, each in a different way.
        try Programs.check("roost", "migrate", bob)
        #expect(try Programs.check("roost", "migrate", bob).standard.contains("nothing to migrate"))
        try Programs.check("roost", "migrate", eva)
        try sync(eva, bob, ana, eva, bob)
        for file in [ana, bob, eva] {
            #expect(try lines(file, "select count(*) from volume") == ["400"], "an author was deleted with its books")
            #expect(try lines(file, "select price from volume where title = 'book 0 2'") == ["2.5"])
            #expect(try lines(file, "select room from shelf") == ["attic"])
            #expect(try lines(file, "select count(*) from roost_unfit where entity = 3") == ["4"], "loans are kept")
        }
        let digests = try [ana, bob, eva].map { try Programs.check("roost", "digest", $0).standard }
        #expect(Set(digests + [try Programs.check("roost", "digest", ana, "--server").standard]).count == 1)
        let newcomer = try stage.join(ana, as: "d.roost")
        #expect(try lines(newcomer, "select count(*) from volume") == ["400"])
        #expect(try lines(newcomer, "select pages from volume where title = 'book 0 1'") == ["250"])
    }

    @Test func aScopeThatDemandsAVersionStopsTheOthersAndTheyGoOn() throws {
        let stage = try Stage()
        let ana = try stage.makeScope(schema: Self.first)
        let bob = try stage.join(ana, as: "b.roost")
        let later = stage.path("second.json")
        let demanding = Self.second.replacing(#""version": 2"#, with: #""version": 2, "minimumVersion": 2"#)
        try demanding.write(toFile: later, atomically: true, encoding: .utf8)
        try Programs.check("roost", "migrate", ana, later)
        try Programs.check("roost", "schema", "publish", ana, later)
        try sync(ana)
        try Programs.sql(bob, "insert into author(name) values ('waits')")
        for _ in 0..<2 {
            let refused = try Programs.run("roost", ["sync", bob])
            #expect(refused.status == 77, "\(refused)")
            #expect(refused.error.contains("the scope demands version 2 or later"), "\(refused)")
        }
        try Programs.check("roost", "migrate", bob)
        try sync(bob, ana)
        #expect(try lines(ana, "select name from author") == ["waits"])
    }

    /// A device publishes a schema that stops the others. Their daemons wait for the migration, and then continue without
    /// user action.
    @Test func theDaemonWaitsForTheMigrationThatTheScopeDemands() throws {
        let stage = try Stage()
        let ana = try stage.makeScope(schema: Self.first)
        let bob = try stage.join(ana, as: "b.roost")
        let later = stage.path("second.json")
        try Self.second.replacing(#""version": 2"#, with: #""version": 2, "minimumVersion": 2"#)
            .write(toFile: later, atomically: true, encoding: .utf8)
        let daemon = try RunningProgram("roostd", [bob], log: stage.folder.appending(path: "b.log"))
        #expect(try eventually { daemon.log.contains("up to date") }, "\(daemon.log)")
        try Programs.check("roost", "schema", "publish", ana, later)
        try Programs.check("roost", "migrate", ana, later)
        try sync(ana)
        try Programs.sql(bob, "insert into author(name) values ('waits')")
        let isWaiting = try eventually { daemon.log.contains("until the replica is migrated") || !daemon.isRunning }
        #expect(isWaiting && daemon.isRunning, "\(daemon.log)")
        try Programs.check("roost", "migrate", bob)
        let hasArrived = try eventually {
            try sync(ana)
            return try lines(ana, "select name from author") == ["waits"]
        }
        #expect(hasArrived, "\(daemon.log)")
        #expect(daemon.terminate() == 0, "\(daemon.log)")
    }

    @Test func anotherSchemaOfTheSameVersionIsNotTakenForTheFiles() throws {
        let stage = try Stage()
        let ana = try stage.makeScope(schema: Self.first)
        let other = stage.path("other.json")
        try Self.first.write(toFile: other, atomically: true, encoding: .utf8)
        #expect(try Programs.check("roost", "migrate", ana, other).standard.contains("nothing to migrate"))
        try Self.first.replacing("remark", with: "note").write(toFile: other, atomically: true, encoding: .utf8)
        let refused = try Programs.run("roost", ["migrate", ana, other])
        #expect(refused.status == 65, "\(refused)")
        #expect(refused.error.contains("its schema is another version 1. Give the one that is to follow the version 2"))
    }

    @Test func aSchemaThatIsNotUnderstoodIsNotCalledNone() throws {
        let stage = try Stage()
        let ana = try stage.makeScope(schema: Self.first)
        try Programs.sql(
            ana, "insert into roost_state values ('nextSchema', '{\"format\": 9}'), ('nextSchemaVersion', 2)")
        let refused = try Programs.run("roost", ["migrate", ana])
        #expect(refused.status == 65, "\(refused)")
        #expect(refused.error.contains("does not understand version 2 of the scope's schema. Update Roost."))
    }

    @Test func theDaemonGoesOnWithAMigratedFile() throws {
        let stage = try Stage()
        let ana = try stage.makeScope(schema: Self.first)
        let bob = try stage.join(ana, as: "b.roost")
        let later = stage.path("second.json")
        try Self.second.write(toFile: later, atomically: true, encoding: .utf8)
        let daemon = try RunningProgram("roostd", [bob], log: stage.folder.appending(path: "daemon.log"))
        try Programs.sql(bob, "insert into author(name) values ('before')")
        #expect(try eventually { try Programs.check("roost", "status", bob).standard.contains("waiting   nothing") })
        try Programs.check("roost", "migrate", bob, later)
        try Programs.sql(bob, "insert into shelf(room) values ('after')")
        #expect(
            try eventually { try Programs.check("roost", "status", bob).standard.contains("waiting   nothing") },
            "\(daemon.log)")
        try sync(ana)
        #expect(try lines(ana, "select count(*) from roost_unfit") == ["1"])
        #expect(daemon.terminate() == 0, "\(daemon.log)")
    }

    private static func hex(_ number: Int) -> String { String(repeating: "0", count: 30) + "0\(number)" }
}
