import Foundation
import TestProcesses
import Testing

/// Columns, indexes, triggers, views and tables that the user adds to a replica.
@Suite struct OwnColumnTests {
    struct Event: Case {
        let name: String
        let run: @Sendable (TwoDevices) throws -> Void

        init(_ name: String, _ run: @escaping @Sendable (TwoDevices) throws -> Void) {
            (self.name, self.run) = (name, run)
        }
    }

    private static let ana = "00000000-0000-0000-0000-000000000001"
    private static let dinner = "00000000-0000-0000-0000-000000000005"

    static let all = [
        Event("delete and undelete") { devices in
            try devices.first.write("delete from spending where id = \(key(5))")
            try devices.first.check("undelete", "Spending", dinner)
        },
        Event("delete and undelete of the parent") { devices in
            try devices.first.write("delete from person where id = \(key(1))")
            try devices.first.check("undelete", "Person", ana)
        },
        Event("delete and undelete by the other device") { devices in
            try devices.second.write("delete from spending where id = \(key(5))")
            try devices.synchronise()
            try devices.second.check("undelete", "Spending", dinner)
        },
        Event("delete and undelete of the parent by the other device") { devices in
            try devices.second.write("delete from person where id = \(key(1))")
            try devices.synchronise()
            try devices.second.check("undelete", "Person", ana)
        },
        Event("an edit by the other device") {
            try $0.second.write("update spending set amount = 55 where id = \(key(5))")
        },
        Event("an edit by roost") { try $0.first.update("Spending", "content == \"dinner\"", "amount=55") },
        Event("a full resynchronisation") { try $0.first.resynchroniseFully() },
        Event("a full resynchronisation with new content") { devices in
            try devices.second.write("update spending set amount = 55 where id = \(key(5))")
            try devices.second.check("sync")
            try devices.first.resynchroniseFully()
        },
        Event("a repair") { devices in
            try devices.first.damageIndex()
            try devices.first.check("repair")
        },
        Event("a migration") { devices in
            let schema = devices.stage.path("later.json")
            try Data(Trip.laterSchema.utf8).write(to: URL(filePath: schema))
            try devices.first.check("migrate", schema)
            try devices.first.check("sync")
            try devices.second.check("sync")
            try devices.second.check("migrate")
        },
        Event("vacuum") { try $0.first.write("vacuum") },
    ]

    private static let things = """
        alter table spending add column mine text;
        alter table spending add column more integer not null default 7;
        alter table spending add column "twice, ""(of" /* ) */ integer generated always as (amount * 2 + length(')')) virtual;
        alter table person add column mine text;
        update spending set mine = 'of mine ' || content, more = amount;
        update person set mine = 'of mine ' || name;
        create index my_index on spending(mine);
        create index my_generated_index on spending("twice, ""(of");
        create unique index my_unique_index on spending(content, amount);
        create table my_table(spending, text);
        insert into my_table values (1, 'one');
        create view my_view as select content, mine from spending;
        create trigger my_trigger after insert on spending begin insert into my_table values (2, NEW.content); end;
        """

    @Test(arguments: all) func theUsersColumnsAndObjectsStay(_ event: Event) throws {
        try fact("theUsersColumnsAndObjectsStay", event.name) {
            let devices = try TwoDevices()
            try devices.first.write(Self.things)
            // A program of Roost has to see the user's objects first.
            try devices.first.check("status")
            let query = "select type, name, sql from sqlite_schema where name like 'my\\_%' escape '\\' order by name"
            let before = try devices.first.rows(query)
            try event.run(devices)
            try devices.expectAgreement()
            #expect(
                try devices.first.rows("select mine from spending union all select mine from person order by 1") == [
                    "of mine Ana", "of mine Bob", "of mine boat", "of mine dinner", "of mine museum", "of mine taxi",
                ])
            #expect(try devices.first.rows("select more from spending order by id") == ["5", "6", "7", "8"])
            #expect(
                try devices.first.rows("select count(*) from spending where \"twice, \"\"(of\" = amount * 2 + 1") == [
                    "4"
                ])
            #expect(try devices.first.rows(query) == before)
            #expect(try devices.first.rows("select text from my_table where spending = 1") == ["one"])
        }
    }

    /// Only the user's own column differs, so there is nothing to synchronise.
    @Test func anEditOfTheUsersColumnIsNoChange() throws {
        try fact("anEditOfTheUsersColumnIsNoChange", "") {
            let devices = try TwoDevices()
            try devices.first.write(Self.things)
            #expect(try devices.first.check("sync", "--json").standard.contains("\"pushed\":0"))
            try devices.expectAgreement()
        }
    }

    /// A program that inserts a deleted row again decides what the row holds, as in any table: a column that it omits has its
    /// default. Therefore "delete and undelete by SQL" is none of the events above. The synchronised columns are a new put.
    @Test func aRowInsertedAgainHoldsWhatTheProgramSays() throws {
        try fact("aRowInsertedAgainHoldsWhatTheProgramSays", "") {
            let devices = try TwoDevices()
            try devices.first.write(Self.things)
            try devices.first.check("status")
            try devices.first.write("delete from spending where id = \(key(5))")
            try devices.first.check("status")
            try devices.first.write(
                "insert into spending(id, content, amount, person, mine) values (\(key(5)), 'dinner', 5, \(key(1)), 'again')"
            )
            try devices.synchronise()
            #expect(
                try devices.first.rows("select mine, more from spending order by id") == [
                    "again|7", "of mine taxi|6", "of mine boat|7", "of mine museum|8",
                ])
        }
    }
}
