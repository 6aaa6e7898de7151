import Foundation
import GRDB
import Replica
import RoostModel
import TestScope
import Testing

/// The maintenance of a replica's file: the WAL, and the age of the journal.
@Suite struct UpkeepTests {
    private func logBytes(_ path: String) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path + "-wal")
        return (attributes?[.size] as? Int) ?? 0
    }

    private func write(_ replica: Replica, _ count: Int, characters: Int = 2000) throws {
        try replica.write("fill") { transaction in
            for number in 0..<count {
                let id = RecordID(high: 1, low: UInt64(number))
                try transaction.put("Person", id: id, ["name": .string(String(repeating: "x", count: characters))])
            }
        }
    }

    @Test func whoHoldsTheLeaseCopiesALargeLogBackAtTheEnd() throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        let lease = try #require(try SyncLease(on: replica.path))
        // Another process holds the lease, so that the WAL grows.
        for _ in 0..<3 { try write(replica.replica, 900, characters: 8000) }
        #expect(logBytes(replica.path) > 16 << 20)
        replica.replica.beginCopyingLog()
        replica.replica.endCopyingLog()
        #expect(logBytes(replica.path) == 0)
        withExtendedLifetime(lease) {}
    }

    /// Extending a file takes longer than writing within it.
    @Test func logThatBeginsAnewKeepsItsRoom() throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        try write(replica.replica, 900, characters: 4000)
        let room = logBytes(replica.path)
        #expect(room > 3 << 20)
        replica.replica.beginCopyingLog()
        replica.replica.copyLogAtRest()
        try write(replica.replica, 1)
        #expect(logBytes(replica.path) == room)
        let pages = try replica.plain.writeWithoutTransaction {
            try Row.fetchOne($0, sql: "PRAGMA wal_checkpoint(PASSIVE)")?[1] as Int?
        }
        #expect(try #require(pages) < 50)
        replica.replica.endCopyingLog()
    }

    @Test func smallLogOfASynchronisationWaitsUntilTheFileIsClosed() throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        let other = try Replica(opening: replica.path)
        try write(other, 100)
        var lease = try SyncLease(on: replica.path)
        #expect(lease != nil)
        other.beginCopyingLog()
        other.endCopyingLog()
        lease = nil
        #expect(logBytes(replica.path) > 100_000)
        try other.close()
        #expect(logBytes(replica.path) == 0)
    }

    /// A plain program checkpoints a WAL of 1,000 pages during its own commit, unless nothing is left to copy.
    @Test func logIsWorthCopyingAtRestBeforeAPlainProgramWouldAndOnceOnly() throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        replica.replica.beginCopyingLog()
        #expect(!replica.replica.isLogWorthCopying)
        for round in 1...3 {
            var commits = 0
            while !replica.replica.isLogWorthCopying, commits < 1000 {
                commits += 1
                try replica.sql("insert into person(name) values ('\(round) \(commits)')")
                // The session's own write for each commit.
                try replica.replica.recordContact(failure: "\(commits)", nextAttempt: nil)
            }
            #expect(replica.replica.isLogWorthCopying && logBytes(replica.path) < 1000 * 2072)
            replica.replica.copyLogAtRest()
            #expect(!replica.replica.isLogWorthCopying)
            // A WAL that was checkpointed entirely restarts with the next commit.
            try replica.sql("insert into person(name) values ('after \(round)')")
            let pages = try replica.plain.writeWithoutTransaction {
                try Row.fetchOne($0, sql: "PRAGMA wal_checkpoint(PASSIVE)")?[1] as Int?
            }
            #expect(try #require(pages) < 50)
        }
        replica.replica.endCopyingLog()
        #expect(!replica.replica.isLogWorthCopying)
    }

    @Test func logIsLeftAloneWhileAnotherHoldsTheLease() throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        let lease = try #require(try SyncLease(on: replica.path))
        let other = try Replica(opening: replica.path)
        try write(other, 100)
        let before = logBytes(replica.path)
        try other.close()
        #expect(logBytes(replica.path) == before)
        withExtendedLifetime(lease) {}
    }

    @Test func logIsCopiedBackByItsWriterWhereNobodySynchronises() throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        let other = try Replica(opening: replica.path)
        try write(other, 100)
        try other.close()
        #expect(logBytes(replica.path) == 0)
    }

    @Test func largeLogIsCopiedBackBeforeTheFileIsClosed() throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        for _ in 0..<3 { try write(replica.replica, 900, characters: 8000) }
        #expect(logBytes(replica.path) < 16 << 20)
        #expect(try replica.count("select count(*) from person") == 900)
    }

    private static let day: UInt64 = 86_400_000

    private func addEntry(_ replica: TemporaryReplica, at time: Int64 = 0) throws {
        try replica.sql(
            """
            insert into roost_journal(at, entity, id, outcome, stamp, put, reason)
            values (\(time), 1, \(id(1)), 'beaten', zeroblob(16), x'', 'test')
            """)
    }

    @Test func oldJournalEntriesAreRemovedAndCounted() throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        for day: UInt64 in [100, 101, 300] {
            try addEntry(replica)
            #expect(try replica.replica.removeOldJournalEntries(at: day * Self.day) == 0)
        }
        #expect(try replica.replica.removeOldJournalEntries(at: 465 * Self.day) == 0)
        #expect(try replica.replica.removeOldJournalEntries(at: 466 * Self.day) == 1)
        #expect(try replica.replica.removeOldJournalEntries(at: 467 * Self.day) == 1)
        #expect(try replica.replica.removeOldJournalEntries(at: 467 * Self.day) == 0)
        #expect(try replica.replica.journal().map(\.ordinal) == [3])
        try replica.replica.keepJournal(days: 30)
        #expect(try replica.replica.removeOldJournalEntries(at: 467 * Self.day) == 1)
        #expect(try replica.replica.status().journalRemoved == 3)
        #expect(try replica.replica.events(limit: 9).filter { $0.kind == "journal" }.count == 3)
    }

    @Test func journalIsKeptForEverWhereThatIsAsked() throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        try replica.replica.keepJournal(days: 0)
        try addEntry(replica)
        for day: UInt64 in [100, 9000] {
            #expect(try replica.replica.removeOldJournalEntries(at: day * Self.day) == 0)
        }
    }

    /// A device's clock that is off by years, or was, must not empty the journal.
    @Test(arguments: [0, Int64.max])
    func ageOfAnEntryIsNotByTheDevicesClock(time: Int64) throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        try addEntry(replica, at: time)
        #expect(try replica.replica.removeOldJournalEntries(at: 20_000 * Self.day) == 0)
        #expect(try replica.replica.removeOldJournalEntries(at: 20_365 * Self.day) == 0)
        #expect(try replica.replica.removeOldJournalEntries(at: 20_366 * Self.day) == 1)
    }

    /// Users restore by the number of an entry.
    @Test func numberOfAJournalEntryIsNotUsedAgain() throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        for _ in 0..<3 { try addEntry(replica) }
        for day: UInt64 in [1, 400] { _ = try replica.replica.removeOldJournalEntries(at: day * Self.day) }
        #expect(try replica.replica.journal().isEmpty)
        try addEntry(replica)
        #expect(try replica.replica.journal().map(\.ordinal) == [4])
    }

    /// Tests a file of the first format, as 0.1 wrote it, one of the third, and one of the fourth.
    @Test(arguments: [1, 3, 4]) func fileOfAnEarlierFormatIsBroughtToThisOne(_ format: Int) throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        let scope = MemoryScope()
        try replica.sql("insert into person(id, name) values (\(id(1)), 'Ana'), (\(id(2)), 'Bob')")
        try scope.synchronise(replica.replica)
        let digest = try replica.replica.digest()
        if format < 4 { try replica.dropMarks() } else { try replica.dropControlColumns() }
        try replica.replica.close()
        if format < 4 { try replica.sql(Self.earlierTriggers) }
        if format == 1 {
            try replica.sql(
                "drop table roost_journal_day; drop table roost_pulled; drop table roost_lost; alter table roost_push drop column continues"
            )
        }
        try replica.sql("pragma user_version = \(format)")
        // The writes of its triggers are pending, and not settled.
        try replica.sql(
            "insert into person(id, name) values (\(id(3)), 'Chloé'); delete from person where id = \(id(1))")
        let updated = try Replica(opening: replica.path)
        #expect(try replica.count("pragma user_version") == 7)
        #expect(try replica.texts("select value from roost_state where name = 'format'") == ["7"])
        #expect(try updated.digest() == digest && replica.count("select push_number from roost_control") == 1)
        #expect(try replica.count("select count(*) from roost_state where name in ('digest', 'replica')") == 0)
        #expect(try updated.status().waiting == 2)
        try replica.sql("insert into person(id, name) values (\(id(4)), 'Dan'); delete from person where id = \(id(2))")
        #expect(try updated.status().waiting == 4)
        try scope.synchronise(updated)
        #expect(try updated.status().waiting == 0)
        let other = try TemporaryReplica(TemporaryReplica.people, id: 2)
        try scope.pull(other.replica)
        #expect(try other.texts("select name from person order by id") == ["Chloé", "Dan"])
    }

    /// A later version of Roost may migrate the file while it is open. This version must not read the writes of its triggers.
    @Test func fileThatWasBroughtToALaterFormatIsLeftAlone() throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        try replica.replica.settle()
        try replica.sql("create table roost_later(x); update roost_state set value = '1000' where name = 'format'")
        let error = #expect(throws: ReplicaError.self) { try replica.replica.write("add") { _ in } }
        #expect(error?.code == .newerFormat)
        #expect(throws: ReplicaError.self) { try replica.replica.note("kind", "text") }
        #expect(throws: ReplicaError.self) { try Replica(opening: replica.path) }
    }

    /// The triggers of the third format for persons, reduced to the parts needed here: each finds the record's outbox entry.
    private static let earlierTriggers = """
        create trigger roost_insert_1 after insert on person begin
          insert into roost_outbox(entity, id, put_stamp, first, txn, unsettled)
            select 1, new.id, max((cast(round((julianday('now') - 2440587.5) * 86400000.0) as integer) + clock_offset) << 16, hlc + 1),
              txn, txn, 1 from roost_control where applying = 0
            on conflict(entity, id) do update set
              put_stamp = max(excluded.put_stamp, coalesce(put_stamp, 0) + 1, coalesce(del_stamp, 0) + 1),
              txn = excluded.txn, unsettled = max(unsettled, excluded.unsettled);
        end;
        create trigger roost_delete_1 after delete on person when (select applying from roost_control) < 1000000 begin
          insert or replace into roost_hidden_person(id, name, roost_deleted)
            select old.id, old.name, 1 from roost_control where applying = 0;
          insert into roost_outbox(entity, id, del_stamp, first, txn, unsettled)
            select 1, old.id, max((cast(round((julianday('now') - 2440587.5) * 86400000.0) as integer) + clock_offset) << 16, hlc + 1),
              txn, txn, 1 from roost_control where applying = 0
            on conflict(entity, id) do update set
              del_stamp = max(excluded.del_stamp, coalesce(put_stamp, 0) + 1, coalesce(del_stamp, 0) + 1),
              txn = excluded.txn, unsettled = 1;
        end
        """
}
