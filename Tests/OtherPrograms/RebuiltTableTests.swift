import Foundation
import TestProcesses
import Testing

/// Tables that another program rebuilds, and triggers and indexes that it drops.
@Suite struct RebuiltTableTests {
    struct Rebuild: Case {
        let name: String
        let run: @Sendable (Device) throws -> Void

        init(_ name: String, _ run: @escaping @Sendable (Device) throws -> Void) { (self.name, self.run) = (name, run) }

        init(_ name: String, sql: String) { self.init(name) { try $0.write(sql) } }
    }

    /// Returns SQLite's documented steps, with the copy under the name that a program gives it.
    ///
    /// The last step fails without `legacy_alter_table`, because triggers of other tables name the table that is missing for
    /// a moment.
    private static func steps(
        _ name: String, copy: String, pragma: String = "legacy_alter_table=on", strict: Bool = true
    )
        -> Rebuild
    {
        Rebuild(name) { device in
            let table = try device.rows("select replace(sql, char(10), ' ') from sqlite_schema where name = 'spending'")
            let created = (table.first ?? "").replacing("\"spending\"", with: "\"\(copy)\"")
            try device.sql(
                """
                pragma foreign_keys=off; pragma \(pragma);
                begin;
                \(strict ? created : created.replacing(" STRICT", with: ""));
                insert into \(copy) select * from spending;
                drop table spending;
                alter table \(copy) rename to spending;
                commit;
                """)
        }
    }

    static let all =
        [
            steps("SQLite's 12 steps", copy: "new_spending"),
            steps("a database browser", copy: "sqlb_temp_table_1"),
            steps("Alembic in a batch, no longer strict", copy: "_alembic_tmp_spending", strict: false),
            Rebuild("sqlite-utils transform, a default") {
                try $0.sqliteUtils("transform", "spending", "--default", "amount", "1")
            },
            Rebuild("sqlite-utils transform, the order of columns") {
                try $0.sqliteUtils("transform", "spending", "-o", "amount", "-o", "content")
            },
            Rebuild("dump and restore") { device in
                let dump = try device.sql(".dump").standard
                for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: device.path + suffix) }
                try device.write(dump)
            },
            Rebuild(
                "triggers taken from sqlite_schema",
                sql: """
                    pragma writable_schema=on;
                    delete from sqlite_schema where type = 'trigger' and tbl_name = 'spending';
                    pragma writable_schema=reset
                    """),
            Rebuild("another program's user_version", sql: "pragma user_version=99"),
            Rebuild("user_version 0", sql: "pragma user_version=0"),
            Rebuild("an index dropped", sql: "drop index roost_by_2_8"),
            Rebuild("a copy by vacuum") { device in
                try device.write("vacuum into '\(device.path).copy'")
                for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: device.path + suffix) }
                try FileManager.default.moveItem(atPath: device.path + ".copy", toPath: device.path)
            },
        ]
        + ["insert", "update", "delete"].map { Rebuild("the \($0) trigger dropped", sql: "drop trigger roost_\($0)_2") }

    private static let triggers = "select count(*) from sqlite_schema where type = 'trigger' and tbl_name = 'spending'"

    @Test(arguments: all) func insertsAndEditsAfterItReachTheOtherDevice(_ rebuild: Rebuild) throws {
        try fact("insertsAndEditsAfterItReachTheOtherDevice", rebuild.name) {
            let devices = try TwoDevices()
            let triggers = try devices.first.rows(Self.triggers)
            try rebuild.run(devices.first)
            try devices.first.write(
                """
                insert into spending(id, content, amount, person) values (\(key(9)), 'later', 9, \(key(2)));
                update spending set amount = 50 where id = \(key(5))
                """)
            #expect(try devices.first.pending() == 2)
            try devices.expectAgreement()
            try devices.expectBoth(
                "select content, amount from spending order by id",
                ["dinner|50", "taxi|6", "boat|7", "museum|8", "later|9"])
            #expect(try devices.first.rows(Self.triggers) == triggers)
            try devices.first.write("delete from spending where id = \(key(6))")
            #expect(try devices.first.pending() == 1)
        }
    }

    /// roostd compares the layout while it has the file open. An edit of `sqlite_schema` that leaves the schema version as it was
    /// waits for the next comparison, and the other cases replace the file.
    @Test(arguments: all.filter { rebuild in !["dump", "triggers", "a copy"].contains { rebuild.name.hasPrefix($0) } })
    func theDaemonRestoresTheLayout(_ rebuild: Rebuild) throws {
        try fact("theDaemonRestoresTheLayout", rebuild.name) {
            let devices = try TwoDevices()
            let triggers = try devices.first.rows(Self.triggers)
            let daemon = try RunningProgram(
                "roostd", [devices.first.path], log: devices.stage.folder.appending(path: "roostd.log"))
            let isReady = try eventually { daemon.log.contains("up to date") }
            #expect(isReady, "\(daemon.log)")
            try rebuild.run(devices.first)
            try devices.first.write(
                """
                insert into spending(id, content) values (\(key(9)), 'later');
                update spending set amount = 50 where id = \(key(5))
                """)
            let hasArrived = try eventually(within: 60) {
                try devices.second.check("sync")
                return try devices.second.rows("select content from spending where amount = 50 or id = \(key(9))")
                    == ["dinner", "later"]
            }
            #expect(hasArrived, "\(daemon.log)")
            #expect(try devices.first.rows(Self.triggers) == triggers)
            #expect(daemon.terminate() == 0, "\(daemon.log)")
            try devices.expectAgreement()
            try devices.expectBoth("select count(*) from spending", ["5"])
        }
    }

    /// Edits of one device that no trigger has tracked, and pages that arrive before Roost compares the rows.
    @Test(arguments: all) func anEditMeanwhileIsKeptNextToAPage(_ rebuild: Rebuild) throws {
        try fact("anEditMeanwhileIsKeptNextToAPage", rebuild.name) {
            let devices = try TwoDevices()
            try rebuild.run(devices.first)
            try devices.first.write("update spending set note = 'mine, untracked' where id in (\(key(5)), \(key(6)))")
            try devices.second.write("update spending set note = 'theirs' where id = \(key(5))")
            try devices.second.check("sync")
            try devices.expectAgreement()
            try devices.expectKept("mine, untracked")
            try devices.expectBoth(
                "select note from spending where id = \(key(6)) union all select 'museum' from spending where id = \(key(8))",
                ["mine, untracked", "museum"])
        }
    }

    /// A row that is missing without a mark proves nothing after a rebuild. `roost repair --restore` brings all records back.
    @Test(arguments: all.prefix(6))
    func missingRowsAreRestored(_ rebuild: Rebuild) throws {
        try fact("missingRowsAreRestored", rebuild.name) {
            let devices = try TwoDevices()
            try rebuild.run(devices.first)
            try devices.first.write("drop trigger if exists roost_delete_2; delete from spending where id < \(key(8))")
            try devices.synchronise()
            #expect(try devices.second.rows("select count(*) from spending") == ["4"])
            try devices.first.check("repair", "--restore")
            try devices.expectAgreement()
            try devices.expectBoth("select count(*) from spending", ["4"])
        }
    }

    /// The user may also state that the rows were deleted.
    @Test func missingRowsAreDeletedWhereTheUserSaysSo() throws {
        try fact("missingRowsAreDeletedWhereTheUserSaysSo", "") {
            let devices = try TwoDevices()
            try devices.first.write("drop trigger roost_delete_2; delete from spending where id < \(key(8))")
            try devices.synchronise()
            #expect(try devices.second.rows("select count(*) from spending") == ["4"])
            let status = try devices.first.check("status").standard
            #expect(status.contains("3 records have no row"), "\(status)")
            try devices.first.check("repair", "--accept-deletes")
            try devices.expectAgreement()
            try devices.expectBoth("select content from spending", ["museum"])
        }
    }
}
