import GRDB
import Replica
import RoostModel
import TestScope
import Testing

/// Content that is not visible when a program writes a row with its identifier.
@Suite struct ReplacedContentTests {
    /// A delete of another device beats an edit that was not sent yet. The new row would be the only trace of the record.
    @Test(arguments: [true, false]) func anUnsentEditUnderADeleteIsJournaled(byLibrary: Bool) throws {
        let scope = MemoryScope()
        let (file, other) = (
            try TemporaryReplica(TemporaryReplica.people), try TemporaryReplica(TemporaryReplica.people, id: 2)
        )
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        for replica in [file, other] { try scope.synchronise(replica.replica) }
        try file.sql("UPDATE person SET name = 'unsent'")
        try file.replica.settle()
        try other.sql("DELETE FROM person")
        try scope.synchronise(other.replica)
        try scope.pull(file.replica)
        #expect(try file.count("SELECT count(*) FROM person") == 0)
        if byLibrary {
            let person = try #require(RecordID(bytes: Array(repeating: 0, count: 15) + [1]))
            try file.replica.write("add") { try $0.put("Person", id: person, ["name": .string("later")]) }
        } else {
            try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'later')")
            try file.replica.settle()
        }
        let entries = try file.texts("SELECT CAST(put AS TEXT) FROM roost_journal WHERE outcome = 'beaten'")
        #expect(entries.count == 1 && entries.first?.contains("unsent") == true, "\(entries)")
        for replica in [file, other] { try scope.synchronise(replica.replica) }
        #expect(try other.texts("SELECT name FROM person") == ["later"])
    }

    /// The server has the content of a deleted record.
    @Test func confirmedContentUnderADeleteIsNotJournaled() throws {
        let scope = MemoryScope()
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        try scope.synchronise(file.replica)
        try file.sql("DELETE FROM person")
        try scope.synchronise(file.replica)
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'later')")
        try scope.synchronise(file.replica)
        #expect(try file.count("SELECT count(*) FROM roost_journal") == 0)
    }

    /// Settling goes on, whatever is stored next to the deleted record.
    @Test func corruptContentUnderADeleteStopsNothing() throws {
        let scope = MemoryScope()
        let (file, other) = (
            try TemporaryReplica(TemporaryReplica.people), try TemporaryReplica(TemporaryReplica.people, id: 2)
        )
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        for replica in [file, other] { try scope.synchronise(replica.replica) }
        try other.sql("DELETE FROM person")
        for replica in [other, file] { try scope.synchronise(replica.replica) }
        try file.sql("INSERT INTO roost_extra(entity, id, put) VALUES (1, \(id(1)), x'ffff')")
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'later')")
        try file.replica.settle()
        #expect(try file.texts("SELECT name FROM person") == ["later"])
        #expect(try file.count("SELECT count(*) FROM roost_outbox WHERE unsettled > 0") == 0)
    }

    /// A pending record with corrupt content next to its row is sent without it, and keeps nothing else from being sent.
    @Test(arguments: [1, 30_000]) func corruptContentOfAPendingRecordStopsNothing(count: Int) throws {
        let scope = MemoryScope()
        let (file, other) = (
            try TemporaryReplica(TemporaryReplica.people), try TemporaryReplica(TemporaryReplica.people, id: 2)
        )
        try file.sql(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= \(count))
              INSERT INTO person(name) SELECT 'p' || i FROM n;
            INSERT INTO roost_extra(entity, id, put) SELECT 1, id, x'ffff' FROM person WHERE name = 'p1'
            """)
        try scope.synchronise(file.replica)
        try scope.synchronise(other.replica)
        #expect(try other.count("SELECT count(*) FROM person") == count + 1)
        #expect(try other.replica.digest() == file.replica.digest())
        #expect(try file.texts("SELECT text FROM roost_event WHERE kind = 'damage'").count == 1)
    }
}
