import GRDB
import Replica
import RoostModel
import TestScope
import Testing

/// Notification of a session about local changes: after every commit by another connection, and never after its own writes.
@Suite struct ForeignCommitsTests {
    private static let schema = """
        {"format": 1, "name": "list", "version": 1, "entities": [
          {"id": 1, "name": "Person", "attributes": [{"id": 1, "name": "name", "type": "string"}]}]}
        """
    private static let limits = PushLimits(
        changesPerPush: 1000, bytesPerPush: 1 << 20, changesPerTransaction: 1000, bytesPerTransaction: 1 << 20)

    /// Makes a replica with one pending change that was reported, and one that the session has sealed before.
    private func makeWaiting() throws -> (file: TemporaryReplica, seen: ForeignCommits?) {
        let file = try TemporaryReplica(Self.schema)
        try file.sql("insert into person(name) values ('Ana')")
        try file.replica.sealPushes(limits: Self.limits)
        try file.sql("insert into person(name) values ('Bob')")
        var seen: ForeignCommits?
        #expect(try file.replica.hasUnsealedChanges(since: &seen))
        return (file, seen)
    }

    /// Writes to a table without its trigger are untracked, as is a table that was recreated.
    @Test func aWriteWithoutItsTriggerIsReported() throws {
        let file = try TemporaryReplica(Self.schema)
        try file.sql("insert into person(name) values ('Ana')")
        try MemoryScope().synchronise(file.replica)
        var seen: ForeignCommits?
        #expect(try !file.replica.hasUnsealedChanges(since: &seen))
        try file.sql("drop trigger roost_update_1; update person set name = 'Ada'")
        #expect(try file.replica.hasUnsealedChanges(since: &seen))
        #expect(try file.count("SELECT count(*) FROM sqlite_schema WHERE name = 'roost_update_1'") == 1)
        #expect(try !file.replica.hasUnsealedChanges(since: &seen))
    }

    @Test func whatWasReportedIsNotReportedAgain() throws {
        var (file, seen) = try makeWaiting()
        #expect(try !file.replica.hasUnsealedChanges(since: &seen))
    }

    /// The session records each failed attempt, which is a commit like any other.
    @Test func whatTheSessionWritesDownIsNoLocalChange() throws {
        var (file, seen) = try makeWaiting()
        for attempt in 1...3 {
            try file.replica.recordContact(failure: "offline", nextAttempt: Int64(attempt))
            #expect(try !file.replica.hasUnsealedChanges(since: &seen))
        }
    }

    @Test(arguments: [
        "insert into person(name) values ('Cem')", "update person set name = 'Bea' where name = 'Bob'",
        "delete from person where name = 'Bob'", "replace into person select * from person where name = 'Bob'",
    ])
    func plainStatementIsReportedOnce(sql: String) throws {
        var (file, seen) = try makeWaiting()
        try file.sql(sql)
        #expect(try file.replica.hasUnsealedChanges(since: &seen))
        #expect(try !file.replica.hasUnsealedChanges(since: &seen))
    }

    @Test func statementThatChangesNothingIsNotReported() throws {
        var (file, seen) = try makeWaiting()
        try file.sql("update person set name = 'Bob' where name = 'Bob'")
        #expect(try !file.replica.hasUnsealedChanges(since: &seen))
    }

    /// Two statements within one millisecond may have equal stamps and equal transaction numbers.
    @Test func eachOfManyQuickStatementsIsReported() throws {
        var (file, seen) = try makeWaiting()
        for number in 0..<200 {
            try file.sql("insert into person(name) values ('\(number)')")
            #expect(try file.replica.hasUnsealedChanges(since: &seen), "\(number)")
        }
    }

    @Test func changeByATriggerOfTheUsersOwnIsReported() throws {
        var (file, seen) = try makeWaiting()
        try file.sql(
            """
            create table wish(name text);
            create trigger grant_wish after insert on wish begin insert into person(name) values (new.name); end
            """)
        _ = try file.replica.hasUnsealedChanges(since: &seen)
        try file.sql("insert into wish values ('Dora')")
        #expect(try file.replica.hasUnsealedChanges(since: &seen))
    }

    /// The program's own writes use another connection than the session.
    @Test func ownWriteAndItsUndoAreReported() throws {
        var (file, seen) = try makeWaiting()
        try file.replica.write("add") {
            try $0.put("Person", id: RecordID(high: 1, low: 1), ["name": .string("Eve")])
        }
        #expect(try file.replica.hasUnsealedChanges(since: &seen))
        _ = try file.replica.undo()
        #expect(try file.replica.hasUnsealedChanges(since: &seen))
    }

    @Test func changeThroughAnotherReplicaObjectIsReported() throws {
        var (file, seen) = try makeWaiting()
        let other = try Replica(opening: file.path)
        try other.write("add") { try $0.put("Person", id: RecordID(high: 1, low: 1), ["name": .string("Eve")]) }
        #expect(try file.replica.hasUnsealedChanges(since: &seen))
        try other.close()
    }

    @Test func whatIsSealedIsNotReported() throws {
        let file = try TemporaryReplica(Self.schema)
        var seen: ForeignCommits?
        #expect(try !file.replica.hasUnsealedChanges(since: &seen))
        try file.sql("insert into person(name) values ('Cem')")
        try file.replica.sealPushes(limits: Self.limits)
        #expect(try !file.replica.hasUnsealedChanges(since: &seen, holding: 1))
    }

    /// The session already knows of changes that wait behind a sealed push: it checks for them after the reply to the push.
    @Test func sealingSeesWhatIsCommitted() throws {
        let file = try makeWaiting().file
        var seen: ForeignCommits?
        try file.replica.sealPushes(limits: Self.limits, after: .localChange, seen: &seen) { _ in }
        #expect(seen != nil)
        #expect(try !file.replica.hasUnsealedChanges(since: &seen))
        try file.sql("insert into person(name) values ('Cem')")
        #expect(try file.replica.hasUnsealedChanges(since: &seen))
    }

    @Test func lookThatFindsNothingHasSeenNothing() throws {
        let file = try TemporaryReplica(Self.schema)
        var seen: ForeignCommits?
        try file.replica.sealPushes(limits: Self.limits, after: .look, seen: &seen) { _ in }
        #expect(seen == nil)
    }
}
