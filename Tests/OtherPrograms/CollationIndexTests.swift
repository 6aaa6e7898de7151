import TestProcesses
import Testing

/// Indexes that only the program which made them can maintain.
@Suite struct CollationIndexTests {
    struct Index: Case {
        let name: String
        let script: String
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
    ]

    /// The other tables are synchronised, and the index is named.
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
            try devices.first.write("drop index if exists u")
            try devices.expectAgreement()
        }
    }
}
