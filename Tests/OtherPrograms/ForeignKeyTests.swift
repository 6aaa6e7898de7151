import TestProcesses
import Testing

/// The reasons why the tables declare no foreign keys (Docs/decisions/0228-tables-declare-no-foreign-keys.md).
///
/// Each test declares them in a file, and shows what then fails. Where one of these tests fails, its reason is gone, and the
/// decision should be revisited.
@Suite struct ForeignKeyTests {
    struct Write: Case {
        let name: String
        /// SQL that both devices run before the constraints are declared, and that Roost has seen.
        var before = ""
        let statements: String
    }

    static let refused = [
        Write(
            name: "a parent in a tree is deleted",
            before: """
                insert into folder(id, title) values (\(key(30)), 'top');
                insert into folder(id, title, parent) values (\(key(31)), 'below', \(key(30)))
                """,
            statements: "delete from folder where id = \(key(30))"),
        Write(
            name: "REPLACE takes a parent away by a unique index",
            before: "create unique index person_by_name on person(name)",
            statements: "replace into person(name) values ('Ana')"),
        Write(
            name: "a parent gets another identifier",
            statements: "update person set id = \(key(40)) where id = \(key(1))"),
    ]

    static let untracked = [
        Write(
            name: "REPLACE takes parents away by their row numbers",
            statements: "replace into person(rowid, name) select rowid, 'other' from person"),
        Write(
            name: "REPLACE takes parents away by an index that Roost has not seen",
            statements: """
                create unique index person_by_name on person(name);
                replace into person(name) values ('Ana'), ('Bob')
                """),
        Write(
            name: "a table of parents is rebuilt without its rows",
            statements: """
                pragma legacy_alter_table=on; begin;
                create table made as select * from person where 0; drop table person; alter table made rename to person;
                commit
                """),
    ]

    private static let check = "pragma foreign_key_check"

    /// Declares a foreign key for each reference of `Trip.schema` that is not `noAction`, as the issue asked for.
    private func declareForeignKeys(_ device: Device) throws {
        try device.python(
            """
            keys = [("spending", "person", "person"), ("spending", "guarantor", "person"), ("spending", "payer", "person"),
                ("spending_tags", "source", "spending"), ("spending_tags", "target", "tag"), ("folder", "parent", "folder")]
            end = ") STRICT"
            db.execute("pragma writable_schema = on")
            for table, column, parent in keys:
                [sql] = db.execute("select sql from sqlite_schema where type = 'table' and name = ?", [table]).fetchone()
                assert sql.endswith(end), sql
                key = f', FOREIGN KEY("{column}") REFERENCES "{parent}"("id") DEFERRABLE INITIALLY DEFERRED'
                db.execute("update sqlite_schema set sql = ? where type = 'table' and name = ?",
                    [sql[:-len(end)] + key + end, table])
            [version] = db.execute("pragma schema_version").fetchone()
            db.execute(f"pragma schema_version = {version + 1}")
            db.commit()
            """)
        #expect(try device.rows("select count(*) from pragma_foreign_key_list('spending')") == ["3"])
        try device.check("status")
        #expect(try device.rows(Self.check) == [])
    }

    /// With `foreign_keys` on, SQLite refuses a write that Roost allows: it counts the children that Roost hides later.
    @Test(arguments: refused) func aWriteThatRoostAllowsIsRefused(_ write: Write) throws {
        try fact("aWriteThatRoostAllowsIsRefused", write.name) {
            let devices = try TwoDevices()
            for device in [devices.first, devices.second] {
                try device.write(write.before)
                try device.check("sync")
            }
            try declareForeignKeys(devices.first)
            try devices.second.write("pragma foreign_keys=on; \(write.statements)")
            let output = try devices.first.sql("pragma foreign_keys=on; \(write.statements)")
            #expect(output.error.contains("FOREIGN KEY constraint failed"), "\(output)")
        }
    }

    /// With `foreign_keys` off, references to rows that went without a mark stay after Roost has looked and synchronised: it
    /// takes no row as deleted that nothing says was deleted, and hides nothing because of one.
    @Test(arguments: untracked) func referencesStayAfterASync(_ write: Write) throws {
        try fact("referencesStayAfterASync", write.name) {
            let devices = try TwoDevices()
            try declareForeignKeys(devices.first)
            try devices.first.write(write.statements)
            try devices.first.check("status")
            for _ in 0..<2 { try devices.first.check("sync") }
            #expect(try !devices.first.rows(Self.check).isEmpty)
            #expect(try devices.first.rows("select count(*) from spending") == ["4"])
        }
    }

    /// The records of a table that was dropped come back with the next sync. Until then their children stay.
    @Test func referencesStayUntilADroppedTableIsBack() throws {
        try fact("referencesStayUntilADroppedTableIsBack", "") {
            let devices = try TwoDevices()
            try declareForeignKeys(devices.first)
            try devices.first.write("drop table person")
            try devices.first.check("status")
            #expect(try !devices.first.rows(Self.check).isEmpty)
            try devices.first.check("sync")
            #expect(try devices.first.rows(Self.check) == [])
        }
    }

    /// A table that a tool has rebuilt without a column of the schema is set aside with the constraints, which no delete rule
    /// serves.
    @Test func aTableThatIsSetAsideKeepsItsConstraints() throws {
        try fact("aTableThatIsSetAsideKeepsItsConstraints", "") {
            let devices = try TwoDevices()
            try declareForeignKeys(devices.first)
            try devices.first.sqliteUtils("transform", "spending", "--drop", "note")
            try devices.first.check("status")
            try devices.synchronise()
            try devices.second.write("delete from person where id = \(key(2))")
            try devices.synchronise()
            let found = try devices.first.rows(Self.check)
            #expect(!found.isEmpty && found.allSatisfy { $0.hasPrefix("spending_replaced|") }, "\(found)")
        }
    }
}
