import TestProcesses
import Testing

/// Records that are not visible when other programs write. They are deleted and kept by a deny rule, hidden by a cascade, or
/// set aside because they do not fit.
@Suite struct OutOfSightTests {
    /// Expects that Carla (3) is kept. She was deleted on one device while Zoo (9) has her as its guarantor.
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

    /// The record's content is gone from the file, and is pulled from the server.
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

    /// A unique index makes another row replace the record's row. If Roost knows the index, the record that comes back from
    /// the server is set aside until the index is dropped.
    @Test(arguments: [false, true]) func aKeptRecordThatAnIndexRemovedIsPulled(isKnown: Bool) throws {
        try fact("aKeptRecordThatAnIndexRemovedIsPulled", isKnown ? "known" : "unknown") {
            let devices = try withGuarantor()
            try devices.second.write("create unique index u on person(name)")
            if isKnown { try devices.second.check("status") }
            try devices.second.write("insert or replace into person(name) values ('Carla')")
            try devices.synchronise()
            try devices.second.write("drop index u")
            try expectCarlaKept(devices)
        }
    }

    /// Another program inserts a row with the identifier of a record that a cascade hides. The program has not seen that
    /// record.
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

    /// Another program inserts a row with the identifier of a record that a unique index keeps from the table.
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

    /// No other device has the value of the user's own column of a record that does not fit.
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

    private static let withoutBob = """
        begin; create table n(id blob primary key, name text, note text); insert into n select * from person where name <> 'Bob';
        drop table person; pragma legacy_alter_table = on; alter table n rename to person; commit
        """

    /// An edit by another device settles whether the record was deleted, as it beats a tracked delete. A row that the user
    /// inserts again does not.
    @Test(arguments: [false, true]) func aMissingRecordThatIsEditedElsewhereIsJournaled(isElsewhere: Bool) throws {
        let devices = try TwoDevices()
        try devices.first.write(Self.withoutBob)
        try devices.first.check("sync")
        #expect(try devices.first.status("missing") == 1)
        if isElsewhere {
            try devices.second.write("update person set note = 'edited' where id = \(key(2))")
        } else {
            try devices.first.write("insert into person(id, name) values (\(key(2)), 'Bob')")
            try devices.second.write("insert into tag(word) values ('fun')")
        }
        try devices.expectAgreement()
        #expect(try devices.first.status("missing") == 0)
        let journal = try devices.first.check("journal").standard
        #expect(journal.contains("you were asked whether it was deleted") == isElsewhere, "\(journal)")
    }
}
