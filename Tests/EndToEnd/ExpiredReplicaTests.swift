import Foundation
import TestProcesses
import Testing

/// A device that returns after the server has purged the records deleted meanwhile.
@Suite(.serialized) struct ExpiredReplicaTests {
    private static let days: Int64 = 100

    /// Writes with the clock of a hundred days ago, so that the records are old enough to be purged.
    private func writeLongAgo(_ replica: String, _ statement: String) throws {
        let offset = -Self.days * 86_400_000
        try Programs.sql(replica, "update roost_control set clock_offset = \(offset); \(statement)")
    }

    @Test func nothingPurgedComesBackAndNothingOfItsOwnIsLost() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        let second = try stage.join(first, as: "b.roost")
        try writeLongAgo(first, "insert into person(id, name) values (\(id(1)), 'deleted'), (\(id(2)), 'edited')")
        for replica in [first, second] { try Programs.check("roost", "sync", replica) }
        // The second device goes offline; the first deletes both records, long ago.
        try writeLongAgo(first, "delete from person")
        try Programs.check("roost", "sync", first)
        try Programs.sql(second, "update person set name = 'edited here' where id = \(id(2))")
        try Programs.sql(second, "insert into person(id, name) values (\(id(3)), 'created')")

        stage.server?.kill()
        let long = Int64(Date().timeIntervalSince1970 * 1000) - Self.days * 86_400_000
        let own = try Programs.sql(second, "select replica from roost_control").lines.first ?? ""
        let number = Int64(bitPattern: UInt64(own, radix: 16) ?? 0)
        try Programs.sql(
            stage.path("server/roost.sqlite"),
            "update replica set last_seen = \(long), pulled = \(long), created = \(long) where id = \(number)")
        try stage.startServer()
        // The first device has been notified of the purge, and drops the identifiers with the next check.
        let isPurged = try eventually {
            try Programs.check("roost", "sync", first)
            return try Programs.sql(first, "select count(*) from roost_fact").lines == ["0"]
        }
        #expect(isPurged)
        stage.server?.kill()
        try stage.startServer()
        let hasFloor = try eventually {
            try Programs.sql(stage.path("server/roost.sqlite"), "select floor > 0 from scope").lines == ["1"]
        }
        #expect(hasFloor)

        let output = try Programs.check("roost", "sync", second)
        #expect(output.standard.contains("away for longer"), "\(output)")
        for _ in 0..<2 { for replica in [first, second] { try Programs.check("roost", "sync", replica) } }
        for replica in [first, second] {
            #expect(try Programs.sql(replica, "select name from person").lines == ["created"])
            #expect(try Programs.sql(replica, "select count(*) from roost_hidden_person").lines == ["0"])
            #expect(
                try Programs.check("roost", "digest", replica).standard
                    == Programs.check("roost", "digest", replica, "--server").standard)
        }
        let journal = try Programs.check("roost", "journal", second).standard
        #expect(journal.contains("edited here") && journal.contains("refused"), "\(journal)")
        #expect(!journal.contains("name=created"))
    }
}
