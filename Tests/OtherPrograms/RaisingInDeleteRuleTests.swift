import TestProcesses
import Testing

/// A trigger of the user that raises while a delete rule of Roost runs.
@Suite struct RaisingInDeleteRuleTests {
    struct Raising: Case {
        let name: String
        let trigger: String
        var statement = "delete from person where name = 'Ana'"
        /// The people at the end, if they differ from the people after the statement.
        var people: [String]?
    }

    private static func before(_ raise: String, _ statement: String) -> Raising {
        Raising(
            name: "before delete, \(raise): \(statement.prefix(8))",
            trigger: """
                create trigger u before delete on spending when OLD.note = 'locked'
                begin select raise(\(raise)); end;
                """, statement: statement)
    }

    static let all =
        ["fail, 'locked'", "abort, 'locked'", "rollback, 'locked'", "ignore"].map { raise in
            before(raise, "delete from person where name = 'Ana'")
        } + [
            before("fail, 'locked'", "begin; delete from person where name = 'Ana'; commit"),
            Raising(
                name: "after delete, fail",
                trigger: """
                    create trigger u after delete on spending when OLD.note = 'locked'
                    begin select raise(fail, 'locked'); end;
                    """),
            Raising(
                name: "after delete, ignore",
                trigger: """
                    create trigger u after delete on spending when OLD.note = 'locked'
                    begin select raise(ignore); end;
                    """),
            Raising(
                name: "a temporary trigger, fail",
                trigger: """
                    create temp trigger u before delete on main.spending when OLD.note = 'locked'
                    begin select raise(fail, 'locked'); end;
                    """),
            Raising(
                name: "nullify, fail",
                trigger: """
                    create trigger u before update of payer on spending when OLD.note = 'locked' and NEW.payer is null
                    begin select raise(fail, 'locked'); end;
                    """, statement: "delete from person where name = 'Eve'"),
            Raising(
                name: "nullify, ignore",
                trigger: """
                    create trigger u after update of payer on spending when OLD.note = 'locked' and NEW.payer is null
                    begin select raise(ignore); end;
                    """, statement: "delete from person where name = 'Eve'"),
            Raising(
                name: "a link, fail",
                trigger: """
                    create trigger u before delete on spending_tags begin select raise(fail, 'locked'); end;
                    """, statement: "delete from tag"),
            Raising(
                name: "a tree, fail",
                trigger: """
                    create trigger u before delete on folder when OLD.title = 'child'
                    begin select raise(fail, 'locked'); end;
                    """, statement: "delete from folder"),
            // SQLite deletes a row that another one replaces by `rowid` without any trigger, so no delete rule runs and
            // nothing marks the row. A comparison of all rows restores Ana, alongside the row that replaced her.
            Raising(
                name: "delete or replace",
                trigger: """
                    create trigger u before delete on spending when OLD.note = 'locked'
                    begin select raise(fail, 'locked'); end;
                    """,
                statement:
                    "insert or replace into person(rowid, name) select rowid, 'Ann' from person where name = 'Ana'",
                people: ["Ana", "Ann", "Bob", "Eve"]),
        ]

    private static let records = """
        \(Trip.records)
        insert into person(id, name) values (\(key(3)), 'Eve');
        update spending set note = 'locked', payer = \(key(3)) where content in ('taxi', 'boat');
        insert into tag(id, word) values (\(key(20)), 'fun');
        insert into spending_tags(source, target) values (\(key(5)), \(key(20)));
        insert into folder(id, title) values (\(key(30)), 'top');
        insert into folder(id, title, parent) values (\(key(31)), 'child', \(key(30)));
        """

    /// Rows that the failed statement has left are changes like any other, and later writes are tracked too.
    @Test(arguments: all) func writesAfterItAreTracked(_ raising: Raising) throws {
        try fact("writesAfterItAreTracked", raising.name) {
            let devices = try TwoDevices(Self.records)
            try devices.first.sql("\(raising.trigger)\n\(raising.statement);")
            if raising.people != nil { _ = try devices.first.roost("check") }
            let parents = try raising.people ?? devices.first.rows("select name from person order by name")
            try devices.expectAgreement()
            try devices.expectBoth("select name from person order by name", parents)
            try devices.first.write("update person set note = 'later' where name = 'Bob'")
            try devices.first.write("delete from spending where content = 'museum'")
            try devices.first.write("insert into spending(content) values ('later')")
            #expect(try devices.first.pending() == 3)
            try devices.expectAgreement()
            try devices.expectBoth(
                "select note from person where name = 'Bob'; select content from spending where content in ('museum', 'later')",
                ["later", "later"])
        }
    }
}
