import TestProcesses
import Testing

/// Records that are not in sight when other programs write: deleted and kept by a deny rule, hidden by a cascade, or aside because they do not
/// fit.
@Suite struct OutOfSightTests {
    /// Carla (3), deleted on one device while Zoo (9) has her as its guarantor.
    private func expectCarlaKept(_ devices: TwoDevices) throws {
        try devices.expectAgreement()
        try devices.expectBoth("select name from person where id = \(key(3))", ["Carla"])
        try devices.expectBoth(
            "select hex(guarantor) from spending where id = \(key(9))", [String(key(3).dropFirst(2).dropLast())])
        for device in [devices.first, devices.second] {
            #expect(try device.status("kept") == 1)
            #expect(try device.status("unfit") == 0)
        }
    }

    private func withGuarantor() throws -> TwoDevices {
        try TwoDevices(
            Trip.records
                + "insert into person(id, name) values (\(key(3)), 'Carla'); insert into spending(id, content, guarantor) values (\(key(9)), 'Zoo', \(key(3)));"
        )
    }

    /// Its content is gone from the file, and comes from the server.
    @Test func aKeptRecordThatARebuiltTableLeavesOutIsPulled() throws {
        let devices = try withGuarantor()
        try devices.second.write(
            """
            begin; create table p(id blob primary key, name text, note text); insert into p select * from person where name <> 'Carla';
            drop table person; create table person(id blob primary key, name text, note text);
            insert into person select * from p; drop table p; commit
            """)
        try devices.synchronise()
        #expect(try devices.second.status("missing") == 1)
        try devices.second.check("repair", "--accept-deletes")
        try expectCarlaKept(devices)
    }

    /// The same of a row that gives way to another one by an index that Roost has not seen.
    @Test func aKeptRecordThatAnIndexTookAwayIsPulled() throws {
        let devices = try withGuarantor()
        try devices.second.write(
            "create unique index u on person(name); insert or replace into person(name) values ('Carla')")
        try devices.synchronise()
        try devices.second.write("drop index u")
        try expectCarlaKept(devices)
    }

    /// By an index that Roost has seen it is set aside, and comes back when the index is gone.
    @Test func aKeptRecordThatDidNotFitIsShownAgain() throws {
        let devices = try withGuarantor()
        try devices.second.write("create unique index u on person(name)")
        try devices.second.check("status")
        try devices.second.write("insert or replace into person(name) values ('Carla')")
        try devices.synchronise()
        try devices.second.write("drop index u")
        try expectCarlaKept(devices)
    }

    /// Of a record that a cascade hides, another program knows nothing when it inserts a row of the same identifier.
    @Test func anInsertOverAHiddenRecordLeavesItInTheJournal() throws {
        let devices = try TwoDevices()
        try devices.second.write("delete from person where id = \(key(1))")
        try devices.synchronise()
        try devices.first.write("insert into spending(id, content) values (\(key(5)), 'anew')")
        try devices.expectAgreement()
        try devices.expectBoth("select content from spending where id = \(key(5))", ["anew"])
        #expect(try devices.first.check("journal").standard.contains("content=dinner"))
        #expect(try devices.first.status("beaten") == 1)
    }

    /// The same of one that a unique index keeps from the table.
    @Test func anInsertOverAnUnfitRecordLeavesItInTheJournal() throws {
        let devices = try TwoDevices()
        try devices.first.write("create unique index u on person(name)")
        try devices.first.check("status")
        try devices.second.write("insert into person(id, name, note) values (\(key(3)), 'Ana', 'precious')")
        try devices.synchronise()
        #expect(try devices.first.status("unfit") == 1)
        try devices.first.write("insert into person(id, name) values (\(key(3)), 'Ana too')")
        try devices.expectAgreement()
        try devices.expectBoth("select name from person where id = \(key(3))", ["Ana too"])
        #expect(try devices.first.check("journal").standard.contains("precious"))
    }

    /// Nobody else has what a column of the user's held of a record that does not fit.
    @Test func ownColumnsOfARecordThatFitsAgainAreInTheJournal() throws {
        let devices = try TwoDevices()
        try devices.first.write(
            "alter table person add column mine text; update person set mine = 'own of ' || name; create unique index u on person(name)"
        )
        try devices.first.check("status")
        try devices.second.write("update person set name = 'Ana' where id = \(key(2))")
        try devices.synchronise()
        #expect(try devices.first.status("unfit") == 1)
        try devices.second.write("update person set name = 'Bob too' where id = \(key(2))")
        try devices.expectAgreement()
        #expect(try devices.first.status("unfit") == 0)
        #expect(try devices.first.check("journal").standard.contains("own of Bob"))
    }

    /// A delete that was only asked about is beaten by an edit, as one that was tracked.
    @Test func anEditThatBringsAMissingRecordBackIsSaid() throws {
        let devices = try TwoDevices()
        try devices.first.write(
            """
            begin; create table n(id blob primary key, name text, note text); insert into n select * from person where name <> 'Bob';
            drop table person; pragma legacy_alter_table = on; alter table n rename to person; commit
            """)
        try devices.first.check("sync")
        #expect(try devices.first.status("missing") == 1)
        try devices.second.write("update person set note = 'edited' where id = \(key(2))")
        try devices.expectAgreement()
        #expect(try devices.first.status("missing") == 0)
        #expect(try devices.first.check("journal").standard.contains("you were asked whether it was deleted"))
    }
}
