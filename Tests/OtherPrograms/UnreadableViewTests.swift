import TestProcesses
import Testing

/// Views of a later SQLite. This SQLite reads no table at all of a file with a view that it cannot parse.
@Suite struct UnreadableViewTests {
    @Test func itIsNamedWithItsCure() throws {
        let devices = try TwoDevices()
        let file = devices.first.path
        try devices.first.write("insert into spending(content) values ('waits')")
        try Programs.sql(
            file,
            """
            create view odd as select 1;
            pragma writable_schema = on;
            update sqlite_schema set sql = 'create view odd as select 1 !! 2' where name = 'odd';
            """)
        for command in ["status", "sync", "check"] {
            let output = try Programs.run("roost", [command, file])
            #expect(output.status == 65 && output.error.contains("odd"), "\(output)")
        }
        let output = try Programs.run("roost", ["repair", file])
        let cure = "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE type = 'view' AND name = 'odd'"
        #expect(output.status == 65 && output.error.contains(cure), "\(output)")
        #expect(output.error.contains("create view odd as select 1 !! 2"), "\(output)")
        try Programs.sql(file, cure)
        try devices.expectAgreement()
        try devices.expectBoth("select count(*) from spending where content = 'waits'", ["1"])
    }
}
