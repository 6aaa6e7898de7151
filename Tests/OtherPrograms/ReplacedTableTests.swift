import TestProcesses
import Testing

/// Tables and columns that another program drops, renames or replaces.
@Suite struct ReplacedTableTests {
    struct Replacement: Case {
        let name: String
        /// Whether the program has also changed "dinner" into "supper".
        var edits = false
        let run: @Sendable (Device) throws -> Void

        init(_ name: String, edits: Bool = false, _ run: @escaping @Sendable (Device) throws -> Void) {
            (self.name, self.edits, self.run) = (name, edits, run)
        }

        init(_ name: String, sql: String, edits: Bool = false) { self.init(name, edits: edits) { try $0.write(sql) } }
    }

    static let all = [
        Replacement("a table dropped", sql: "drop table spending"),
        Replacement("a table of links dropped", sql: "drop table spending_tags"),
        Replacement("a parent's table dropped", sql: "drop table person"),
        Replacement(
            "every table dropped", sql: "drop table person; drop table spending; drop table tag; drop table folder"),
        Replacement("12 steps that fail at the last one") {
            try $0.sql(
                """
                begin; create table new_spending as select * from spending; drop table spending;
                alter table new_spending rename to spending; commit;
                """)
        },
        Replacement("a hidden table dropped", sql: "drop table roost_hidden_spending"),
        Replacement("a table renamed", sql: "alter table spending rename to expense"),
        Replacement(
            "a table renamed and edited",
            sql: "alter table spending rename to expense; update expense set content = 'supper' where id = \(key(5))",
            edits: true),
        Replacement("a column renamed", sql: "alter table spending rename column content to title"),
        Replacement(
            "a column renamed and edited",
            sql:
                "alter table spending rename column content to title; update spending set title = 'supper' where id = \(key(5))",
            edits: true),
        Replacement("a reference renamed", sql: "alter table spending rename column person to who"),
        Replacement(
            "a column dropped",
            sql: """
                drop trigger roost_update_2; drop trigger roost_insert_2; drop trigger roost_delete_2; drop trigger roost_rename_2;
                drop trigger roost_delete_1; drop trigger roost_cascade_1; alter table spending drop column note
                """),
        Replacement(
            "a column renamed by rebuilding",
            sql: """
                pragma foreign_keys=off; pragma legacy_alter_table=on; begin;
                create table _new(id blob primary key not null, title text not null, amount integer, note text, rate real,
                    info text, picture blob, at integer, person blob, guarantor blob, payer blob);
                insert into _new select * from spending; drop table spending; alter table _new rename to spending; commit
                """),
        Replacement(
            "Alembic's batch rename of a table",
            sql: """
                create table expense as select * from spending; drop table spending
                """),
        Replacement("sqlite-utils transform, a column renamed") {
            try $0.sqliteUtils("transform", "spending", "--rename", "content", "title")
        },
        Replacement("sqlite-utils transform, a column dropped") {
            try $0.sqliteUtils("transform", "spending", "--drop", "note")
        },
        Replacement("sqlite-utils rename-table") { try $0.sqliteUtils("rename-table", "spending", "expense") },
        Replacement("pandas to_sql, replace") {
            try $0.python(
                """
                import pandas
                frame = pandas.read_sql("select * from spending", db)
                frame.to_sql("spending", db, if_exists="replace", index=False)
                db.commit()
                """)
        },
        Replacement("pandas to_sql, replace, edited", edits: true) {
            try $0.python(
                """
                import pandas
                frame = pandas.read_sql("select * from spending", db)
                frame.loc[frame.content == "dinner", "content"] = "supper"
                frame.to_sql("spending", db, if_exists="replace")
                db.commit()
                """)
        },
        Replacement("a table replaced by that of a CSV file", edits: true) {
            try $0.python(
                """
                import io, pandas
                frame = pandas.read_csv(io.StringIO("content,amount\\nsupper,5\\n"))
                frame.to_sql("spending", db, if_exists="replace", index=False)
                db.commit()
                """)
        },
        Replacement(
            "a view in place of the table",
            sql: "alter table spending rename to expense; create view spending as select * from expense"),
        Replacement("apsw, a table dropped") {
            try $0.python("import apsw\napsw.Connection(path).execute('drop table spending')")
        },
    ]

    /// No record was deleted by a user: both devices show all records again, together with the changes that arrive.
    @Test(arguments: all) func nothingIsDeletedAndPagesAreApplied(_ replacement: Replacement) throws {
        try fact("nothingIsDeletedAndPagesAreApplied", replacement.name) {
            let devices = try TwoDevices(Trip.records + Self.link)
            try replacement.run(devices.first)
            try devices.second.write(
                "insert into spending(content) values ('opera'); insert into tag(word) values ('work'); update person set note = 'x'"
            )
            try devices.second.check("sync")
            try devices.synchronise()
            try devices.first.check("repair", "--restore")
            try devices.expectAgreement()
            let dinner = try devices.second.rows("select content from spending where id = \(key(5))")
            #expect(dinner == ["dinner"] || (replacement.edits && dinner == ["supper"]))
            try devices.expectBoth(
                "select content from spending where id <> \(key(5)) order by content",
                ["boat", "museum", "opera", "taxi"])
            try devices.expectBoth(
                "select count(*) from person union all select count(*) from spending_tags", ["2", "1"])
            try devices.first.write(
                """
                insert into spending(id, content) values (\(key(9)), 'later');
                update spending set amount = 66 where id = \(key(6)); delete from spending where id = \(key(7));
                """)
            #expect(try devices.first.pending() == 3)
            try devices.expectAgreement()
            try devices.expectBoth(
                "select content, amount from spending where id in (\(key(6)), \(key(7)), \(key(9))) order by id",
                ["taxi|66", "later|0"])
        }
    }

    private static let link = """
        insert into tag(id, word) values (\(key(20)), 'fun');
        insert into spending_tags(source, target) values (\(key(5)), \(key(20)));
        """

    @Test(arguments: all) func everyCommandWorksAfterwards(_ replacement: Replacement) throws {
        try fact("everyCommandWorksAfterwards", replacement.name) {
            let devices = try TwoDevices()
            try replacement.run(devices.first)
            for command in ["status", "sync", "check", "log", "journal", "digest", "repair", "check"] {
                let output = try devices.first.roost(command)
                #expect(output.status == 0, "\(command): \(output)")
            }
            let events = try devices.first.check("log").standard
            #expect(events.contains("spending") || events.contains("person"), "\(events)")
            for command in ["fetch", "migrate"] {
                let output = try devices.first.roost(
                    command, command == "fetch" ? "Spending" : devices.stage.path("schema.json"))
                #expect(output.status != 70, "\(command): \(output)")
            }
        }
    }

    /// `repair` checks the tables before it reports on the file.
    @Test(arguments: all) func repairAloneKeepsEachRecord(_ replacement: Replacement) throws {
        try fact("repairAloneKeepsEachRecord", replacement.name) {
            let devices = try TwoDevices()
            try replacement.run(devices.first)
            let output = try devices.first.roost("repair")
            #expect(output.status == 0, "\(output)")
            #expect(try devices.first.roost("check").status == 0)
            try devices.synchronise()
            try devices.first.check("repair", "--restore")
            try devices.expectAgreement()
            try devices.expectBoth("select count(*) from spending union all select count(*) from person", ["4", "2"])
        }
    }

    /// Rows that the program wrote in place of a table are changes, or stay in a table of another name.
    @Test(arguments: all.filter(\.edits)) func whatTheProgramWroteIsKept(_ replacement: Replacement) throws {
        try fact("whatTheProgramWroteIsKept", replacement.name) {
            let devices = try TwoDevices()
            try replacement.run(devices.first)
            try devices.synchronise()
            try devices.expectKept("supper")
        }
    }
}
