import TestProcesses
import Testing

/// Rows that SQLite removes because a new row replaces them. SQLite fires no trigger for these.
@Suite struct UniqueIndexTests {
    struct Replacing: Case {
        let name: String
        var index = "create unique index u on spending(content);"
        let statement: String
        /// The contents and amounts that are left.
        var left = ["boat|7", "dinner|50", "museum|8"]
    }

    static let all =
        ["insert or replace into", "replace into"].map { insert in
            Replacing(
                name: insert,
                statement:
                    "delete from spending where id = \(key(6)); \(insert) spending(content, amount) values ('dinner', 50)"
            )
        } + [
            Replacing(
                name: "update or replace",
                statement: "update or replace spending set content = 'dinner', amount = 50 where id = \(key(6))"),
            Replacing(
                name: "with recursive_triggers",
                statement: """
                    pragma recursive_triggers=on; delete from spending where id = \(key(6));
                    replace into spending(content, amount) values ('dinner', 50)
                    """),
            Replacing(
                name: "an upsert of another index",
                statement: """
                    delete from spending where id = \(key(6));
                    insert or replace into spending(id, content, amount) values (\(key(9)), 'dinner', 50)
                    on conflict(id) do nothing
                    """),
            Replacing(
                name: "two columns", index: "create unique index u on spending(content, person);",
                statement: """
                    delete from spending where id = \(key(6));
                    replace into spending(content, amount, person) values ('dinner', 50, \(key(1)))
                    """),
            Replacing(
                name: "an expression", index: "create unique index u on spending(lower(content));",
                statement: """
                    update spending set content = 'DINNER' where id = \(key(5)); delete from spending where id = \(key(6));
                    replace into spending(content, amount) values ('dinner', 50)
                    """),
            Replacing(
                name: "a collation", index: "create unique index u on spending(content collate nocase);",
                statement: """
                    update spending set content = 'DINNER' where id = \(key(5)); delete from spending where id = \(key(6));
                    replace into spending(content, amount) values ('dinner', 50)
                    """),
            Replacing(
                name: "a partial index", index: "create unique index u on spending(content) where amount > 0;",
                statement: """
                    delete from spending where id = \(key(6)); replace into spending(content, amount) values ('dinner', 50)
                    """),
            Replacing(
                name: "two indexes, two rows replaced",
                index: "create unique index u on spending(content); create unique index v on spending(amount);",
                statement: """
                    update spending set amount = 50 where id = \(key(6));
                    replace into spending(content, amount) values ('dinner', 50)
                    """),
            Replacing(
                name: "inside a trigger",
                index: """
                    create unique index u on spending(content);
                    create trigger t after insert on tag begin
                        insert or replace into spending(content, amount) values (NEW.word, 50); end;
                    """,
                statement: "delete from spending where id = \(key(6)); insert into tag(word) values ('dinner')"),
        ]

    @Test(arguments: all) func aReplacedRowIsDeletedOnBothDevices(_ replacing: Replacing) throws {
        try fact("aReplacedRowIsDeletedOnBothDevices", replacing.name) {
            let devices = try TwoDevices()
            try devices.first.write(replacing.index)
            try devices.synchronise()
            try devices.first.write(replacing.statement)
            #expect(try devices.first.pending() >= 3 - (replacing.name.contains("update") ? 1 : 0))
            try devices.expectAgreement()
            try devices.expectBoth("select content, amount from spending order by content", replacing.left)
        }
    }

    /// No trigger tracks a row that another one replaces by `rowid`. The record comes back from the server once the rows are
    /// compared.
    @Test(arguments: [
        "replace into spending(rowid, content, amount) select rowid, 'snack', 50 from spending where id = \(key(5))",
        """
        update or replace spending set rowid = (select rowid from spending where id = \(key(5))), content = 'snack', amount = 50
        where id = \(key(6))
        """,
    ]) func aRowReplacedByItsNumberComesBack(_ statement: String) throws {
        let devices = try TwoDevices()
        try devices.first.write(statement)
        _ = try devices.first.roost("check")
        try devices.expectAgreement()
        try devices.expectBoth("select count(*) from spending where content in ('dinner', 'snack')", ["2"])
    }

    /// A replaced person takes the spendings along, like a deleted one. A protected one cannot be replaced silently.
    @Test func aReplacedParentFollowsItsDeleteRules() throws {
        try fact("aReplacedParentFollowsItsDeleteRules", "") {
            let devices = try TwoDevices()
            try devices.first.write("create unique index u on person(name)")
            try devices.first.write("replace into person(id, name) values (\(key(9)), 'Ana')")
            try devices.expectAgreement()
            try devices.expectBoth("select content from spending", ["museum"])
            try devices.expectBoth("select count(*) from person where name = 'Ana'", ["1"])
        }
    }

    /// The other device edited the replaced row later: that edit brings the record back, or is in the journal.
    @Test func anEditOfAReplacedRowIsNotLost() throws {
        try fact("anEditOfAReplacedRowIsNotLost", "") {
            let devices = try TwoDevices()
            try devices.first.write("create unique index u on spending(content)")
            try devices.first.write("replace into spending(content, amount) values ('dinner', 50)")
            try devices.first.check("status")
            try devices.second.write("update spending set note = 'edited later' where id = \(key(5))")
            for device in [devices.second, devices.first, devices.second, devices.first] { try device.check("sync") }
            try devices.expectKept("edited later")
            #expect(try devices.second.rows("select note from spending where id = \(key(5))") == ["edited later"])
        }
    }
}
