import TestProcesses
import Testing

/// Tables that triggers of the user derive from Roost's, and triggers that write Roost's tables.
@Suite struct DerivedTableTests {
    struct Derived: Case {
        let name: String
        let setup: String
        let query: String
        let lines: [String]
    }

    private static let index = """
        create virtual table f using fts5(content, content='spending');
        insert into f(f) values ('rebuild');
        create trigger fi after insert on spending begin insert into f(rowid, content) values (NEW.rowid, NEW.content); end;
        create trigger fd after delete on spending begin
            insert into f(f, rowid, content) values ('delete', OLD.rowid, OLD.content); end;
        create trigger fu after update on spending begin
            insert into f(f, rowid, content) values ('delete', OLD.rowid, OLD.content);
            insert into f(rowid, content) values (NEW.rowid, NEW.content); end;
        """

    static let all = [
        Derived(
            name: "FTS5 with external content", setup: index,
            query: """
                select count(*) from f('opera'); select count(*) from f('taxi'); select count(*) from f('dinner');
                select count(*) from f('supper'); insert into f(f, rank) values ('integrity-check', 1);
                """, lines: ["1", "0", "0", "1"]),
        Derived(
            name: "a sum",
            setup: """
                create table s(person blob primary key, total integer);
                insert into s select person, sum(amount) from spending group by person;
                create trigger si after insert on spending begin
                    insert into s values (NEW.person, NEW.amount)
                    on conflict(person) do update set total = total + NEW.amount; end;
                create trigger sd after delete on spending begin
                    update s set total = total - OLD.amount where person = OLD.person; end;
                create trigger su after update on spending begin
                    update s set total = total - OLD.amount where person = OLD.person;
                    update s set total = total + NEW.amount where person = NEW.person; end;
                """, query: "select total from s order by person", lines: ["112", "8"]),
        Derived(
            name: "a log of changes",
            setup: """
                create table l(what text);
                create trigger li after insert on spending begin insert into l values ('insert ' || NEW.content); end;
                create trigger ld after delete on spending begin insert into l values ('delete ' || OLD.content); end;
                create trigger lu after update on spending begin insert into l values ('update ' || NEW.content); end;
                """, query: "select what from l order by 1", lines: ["delete taxi", "insert opera", "update supper"]),
    ]

    private static let writes = """
        insert into spending(content, amount, person) values ('opera', 100, \(key(1)));
        update spending set content = 'supper' where id = \(key(5));
        delete from spending where id = \(key(6));
        """

    @Test(arguments: all) func pulledRowsReachTheDerivedTable(_ derived: Derived) throws {
        try fact("pulledRowsReachTheDerivedTable", derived.name) {
            let devices = try TwoDevices()
            try devices.first.write(derived.setup)
            try devices.second.write(Self.writes)
            try devices.second.check("sync")
            try devices.expectAgreement()
            #expect(try devices.first.rows(derived.query) == derived.lines)
        }
    }

    /// A full resynchronisation, a delete and its undelete leave the derived table correct.
    @Test(arguments: all.prefix(2)) func theDerivedTableStaysRight(_ derived: Derived) throws {
        try fact("theDerivedTableStaysRight", derived.name) {
            let devices = try TwoDevices()
            try devices.first.write(derived.setup)
            try devices.second.write(Self.writes + "delete from person where id = \(key(1));")
            try devices.second.check("sync")
            try devices.first.resynchroniseFully()
            try devices.second.check("undelete", "Person", "00000000-0000-0000-0000-000000000001")
            try devices.expectAgreement()
            #expect(try devices.first.rows(derived.query) == derived.lines)
        }
    }

    struct Writer: Case {
        let name: String
        let trigger: String
    }

    static let writers = [
        Writer(
            name: "updated_at after update",
            trigger: """
                create trigger u after update of content, amount on spending begin
                    update spending set at = cast((julianday('now') - 2440587.5) * 86400000 as integer) where id = NEW.id; end;
                """),
        Writer(
            name: "updated_at after insert and update",
            trigger: """
                create trigger i after insert on spending begin
                    update spending set at = abs(random() % 1000000) where id = NEW.id; end;
                create trigger u after update on spending begin
                    update spending set at = abs(random() % 1000000) where id = NEW.id; end;
                """),
        Writer(
            name: "another table of Roost",
            trigger: """
                create trigger u after update on spending begin
                    update person set note = 'spent ' || random() where id = NEW.person; end;
                """),
        Writer(
            name: "a new record for each",
            trigger: "create trigger i after insert on spending begin insert into tag(word) values (NEW.content); end;"),
        Writer(
            name: "a delete",
            trigger: "create trigger u after update on spending begin delete from spending where id = \(key(8)); end;"),
        Writer(
            name: "normalising",
            trigger: """
                create trigger i after insert on spending begin
                    update spending set content = upper(content) where id = NEW.id; end;
                create trigger u after update on spending begin
                    update spending set content = upper(content) where id = NEW.id; end;
                """),
    ]

    /// Both devices have the trigger. An applied page leaves the rows that it describes, and is no local change.
    @Test(arguments: writers) func twoDevicesWithTheTriggerAreIdleAfterOneRound(_ writer: Writer) throws {
        try fact("twoDevicesWithTheTriggerAreIdleAfterOneRound", writer.name) {
            let devices = try TwoDevices()
            for device in [devices.first, devices.second] { try device.write(writer.trigger) }
            try devices.first.write(Self.writes)
            try devices.first.check("sync")
            let shown = try devices.visible(devices.first)
            try devices.second.check("sync")
            #expect(try devices.second.pending() == 0)
            #expect(try devices.visible(devices.second) == shown)
            try devices.expectAgreement()
            #expect(try devices.visible(devices.first) == shown)
        }
    }

    /// A delete rule masks a reference, and an undelete restores it. A trigger's write during that is no untracked
    /// difference.
    @Test(arguments: writers.prefix(3) + writers.suffix(1))
    func aDeleteRuleThatFiresTheTriggerLeavesBothAlike(_ writer: Writer) throws {
        try fact("aDeleteRuleThatFiresTheTriggerLeavesBothAlike", writer.name) {
            let devices = try TwoDevices(
                Trip.records + "update spending set payer = \(key(2)) where person = \(key(1));")
            for device in [devices.first, devices.second] { try device.write(writer.trigger) }
            try devices.first.write("delete from person where id = \(key(2))")
            try devices.expectAgreement()
            try devices.second.check("undelete", "Person", "00000000-0000-0000-0000-000000000002")
            try devices.expectAgreement()
        }
    }

    static let obstacles = [
        Writer(
            name: "fail", trigger: "create trigger u before insert on spending begin select raise(fail, 'no'); end;"),
        Writer(
            name: "abort", trigger: "create trigger u after insert on spending begin select raise(abort, 'no'); end;"),
        Writer(
            name: "rollback",
            trigger: "create trigger u after insert on spending begin select raise(rollback, 'no'); end;"),
        Writer(name: "ignore", trigger: "create trigger u before insert on spending begin select raise(ignore); end;"),
        Writer(
            name: "ignore of an update",
            trigger: "create trigger u before update on spending begin select raise(ignore); end;"),
        Writer(
            name: "ignore of a delete",
            trigger: "create trigger u before delete on spending begin select raise(ignore); end;"),
        Writer(
            name: "a missing function",
            trigger: "create trigger u after insert on spending begin select of_another_program(NEW.content); end;"),
        Writer(
            name: "a missing table",
            trigger: "create trigger u after update on spending begin insert into nowhere values (1); end;"),
        Writer(
            name: "a delete of the new row",
            trigger: "create trigger u after insert on spending begin delete from spending where id = NEW.id; end;"),
    ]

    /// The record is applied without the trigger, and the report names the trigger.
    @Test(arguments: obstacles) func aTriggerThatRefusesStopsNoPage(_ obstacle: Writer) throws {
        try fact("aTriggerThatRefusesStopsNoPage", obstacle.name) {
            let devices = try TwoDevices()
            try devices.first.sql(obstacle.trigger)
            try devices.second.write(Self.writes)
            try devices.second.check("sync")
            try devices.expectAgreement()
            #expect(
                try devices.first.rows("select content from spending order by content") == [
                    "boat", "museum", "opera", "supper",
                ])
        }
    }
}
