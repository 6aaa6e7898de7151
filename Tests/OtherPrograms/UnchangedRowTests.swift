import TestProcesses
import Testing

/// A statement that fires triggers but alters no value is no change.
@Suite struct UnchangedRowTests {
    struct Statement: Case {
        let name: String
        /// A unique index that the program has made, and that Roost knows.
        var index = ""
        let sql: String
    }

    static let all =
        plain
        + [
            // The trigger that marks the rows of a REPLACE runs before them, and may mark a row that stays.
            ("insert or ignore", "insert or ignore into spending(content, amount) values ('dinner', 50)"),
            (
                "insert that conflicts and does nothing",
                "insert into spending(content) values ('dinner') on conflict do nothing"
            ),
            ("update or ignore", "update or ignore spending set content = 'dinner' where id = \(key(6))"),
        ].map { name, sql in
            Statement(
                name: "\(name), a unique index", index: "create unique index u on spending(content)", sql: sql)
        }

    private static let plain = [
        Statement(
            name: "insert or ignore", sql: "insert or ignore into spending(id, content) values (\(key(5)), 'other')"),
        Statement(
            name: "insert that conflicts and does nothing",
            sql: "insert into spending(id, content) values (\(key(5)), 'other') on conflict(id) do nothing"),
        Statement(
            name: "insert that a trigger ignores",
            sql: """
                create trigger u before insert on spending begin select raise(ignore); end;
                insert into spending(id, content) values (\(key(5)), 'other')
                """),
        Statement(
            name: "update that a trigger ignores",
            sql: """
                create trigger u before update on spending begin select raise(ignore); end;
                update spending set content = 'other' where id = \(key(5))
                """),
        Statement(
            name: "delete that a trigger ignores",
            sql: """
                create trigger u before delete on spending begin select raise(ignore); end;
                delete from spending where id = \(key(5))
                """),
        Statement(name: "update to the same value", sql: "update spending set amount = amount where id = \(key(5))"),
        Statement(
            name: "update and back",
            sql: """
                update spending set content = 'other' where id = \(key(5));
                update spending set content = 'dinner' where id = \(key(5))
                """),
        Statement(
            name: "delete and insert again",
            sql: """
                create temp table kept as select * from spending where id = \(key(5));
                delete from spending where id = \(key(5));
                insert into spending select * from kept
                """),
        Statement(
            name: "replace by the same",
            sql: "insert or replace into spending select * from spending where id = \(key(5))"),
        Statement(
            name: "update or ignore that conflicts",
            sql: """
                create unique index u on spending(content);
                update or ignore spending set content = 'taxi' where id = \(key(5))
                """),
    ]

    @Test(arguments: all) func anEarlierEditOfTheOtherDeviceWins(_ statement: Statement) throws {
        try fact("anEarlierEditOfTheOtherDeviceWins", statement.name) {
            let devices = try TwoDevices()
            if !statement.index.isEmpty {
                try devices.first.write(statement.index)
                try devices.first.check("status")
            }
            try devices.second.write("update spending set note = 'edited' where id = \(key(5))")
            try devices.second.check("status")
            try devices.first.sql("\(statement.sql);")
            #expect(try devices.first.check("sync", "--json").standard.contains("\"pushed\":0"))
            try devices.expectAgreement()
            try devices.expectBoth("select content, note from spending where id = \(key(5))", ["dinner|edited"])
        }
    }
}
