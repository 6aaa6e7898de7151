import TestProcesses
import Testing

/// Connections that trust no function in a schema, as security-conscious programs open files.
@Suite struct TrustedSchemaTests {
    struct Connection: Case {
        let name: String
        let run: @Sendable (Device) throws -> Programs.Output

        init(_ name: String, _ run: @escaping @Sendable (Device) throws -> Programs.Output) {
            (self.name, self.run) = (name, run)
        }
    }

    private static let statements = """
        select name from person order by name;
        insert into spending(content, info) values ('later', '{"a": 1}');
        update person set note = 'later' where id = \(key(1));
        delete from spending where id = \(key(6));
        """

    static let all = [
        Connection("the shell") { try $0.sql("pragma trusted_schema=off;\n\(statements)") },
        Connection("the shell, defensive") {
            try $0.sql(
                ".dbconfig trusted_schema off\n.dbconfig defensive on\n.dbconfig dqs_ddl off\n.dbconfig dqs_dml off\n\(statements)"
            )
        },
        Connection("Python") {
            try $0.python(
                """
                db.execute("pragma trusted_schema=off")
                print("\\n".join(row[0] for row in db.execute("select name from person order by name")))
                db.executescript(sys.argv[2])
                """, statements)
        },
        Connection("apsw") {
            try $0.python(
                """
                import apsw
                other = apsw.Connection(path)
                other.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
                other.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
                print("\\n".join(row[0] for row in other.execute("select name from person order by name")))
                list(other.execute(sys.argv[2]))
                """, statements)
        },
    ]

    @Test(arguments: all) func theTablesAreReadAndWritten(_ connection: Connection) throws {
        try fact("theTablesAreReadAndWritten", connection.name) {
            let devices = try TwoDevices()
            let output = try connection.run(devices.first)
            #expect(output.lines.suffix(2) == ["Ana", "Bob"], "\(output)")
            #expect(try devices.first.pending() == 3)
            try devices.expectAgreement()
            try devices.expectBoth(
                "select content from spending order by content", ["boat", "dinner", "later", "museum"])
        }
    }
}
