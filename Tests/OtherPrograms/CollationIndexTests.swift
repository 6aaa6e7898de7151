import TestProcesses
import Testing

/// Indexes that only the program that made them can maintain.
@Suite struct CollationIndexTests {
    struct Index: Case {
        let name: String
        let script: String
        var cure = "drop index if exists u"
    }

    static let all = [
        Index(
            name: "a collation",
            script: """
                db.create_collation("theirs", lambda a, b: (a > b) - (a < b))
                db.execute("create index u on spending(content collate theirs)")
                """),
        Index(
            name: "a function",
            script: """
                db.create_function("theirs", 1, lambda text: text[::-1], deterministic=True)
                db.execute("create index u on spending(theirs(content))")
                """),
        Index(
            name: "a condition",
            script: """
                db.create_function("theirs", 1, lambda text: text[::-1], deterministic=True)
                db.execute("create index u on spending(note) where theirs(content) > 'm'")
                """),
        Index(
            name: "a generated column",
            script: """
                db.create_function("theirs", 1, lambda text: text[::-1], deterministic=True)
                db.execute("alter table spending add column u text as (theirs(content))")
                """, cure: "alter table spending drop column u"),
        Index(
            name: "a generated column with a collation",
            script: """
                db.create_collation("theirs", lambda a, b: (a > b) - (a < b))
                db.execute("alter table spending add column u text as (content < 'm' collate theirs)")
                """, cure: "alter table spending drop column u"),
    ]

    /// The other tables are synchronised, and the report names the index.
    @Test(arguments: all) func anIndexOfAnotherProgramBlocksNothingElse(_ index: Index) throws {
        try fact("anIndexOfAnotherProgramBlocksNothingElse", index.name) {
            let devices = try TwoDevices()
            try devices.first.python(index.script + "\ndb.commit()")
            try devices.second.write(
                """
                insert into person(id, name) values (\(key(3)), 'Eve'); update spending set note = 'new' where id = \(key(5));
                insert into spending(content) values ('opera');
                """)
            try devices.second.check("sync")
            try devices.first.write("insert into person(id, name) values (\(key(4)), 'Dan')")
            let output = try devices.first.roost("sync")
            #expect(try devices.first.rows("select name from person order by name") == ["Ana", "Bob", "Dan", "Eve"])
            try devices.second.check("sync")
            #expect(try devices.second.rows("select name from person order by name") == ["Ana", "Bob", "Dan", "Eve"])
            let report = output.description + (try devices.first.roost("status").description)
            #expect(report.contains("\"u\"") || report.contains(" u"), "\(report)")
            try devices.first.write(index.cure)
            try devices.expectAgreement()
        }
    }
}
