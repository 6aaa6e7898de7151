import Foundation
import GRDB
import RoostModel
import TestScope
import Testing

@testable import Replica

/// Contents that differ from the confirmed ones are found, and rewritten from the server's.
@Suite struct ContentScrubTests {
    /// Makes a replica with persons and spendings, all confirmed.
    private func synchronised(_ count: Int = 20) throws -> (TemporaryReplica, MemoryScope) {
        let file = try TemporaryReplica(TemporaryReplica.people)
        let scope = MemoryScope(changesPerPush: 5000)
        let persons = (1...count).map { "(\(id($0)), 'person \($0)')" }.joined(separator: ", ")
        try file.sql("INSERT INTO person(id, name) VALUES \(persons)")
        try file.sql(
            "INSERT INTO spending(id, content, person, amount) SELECT id, 'of ' || name, id, 5 FROM person WHERE id < \(id(16))"
        )
        try scope.synchronise(file.replica)
        #expect(try file.replica.scrub() == .sound)
        return (file, scope)
    }

    private func pullAnew(_ file: TemporaryReplica, _ scope: MemoryScope) throws -> ApplyReport {
        try file.replica.pullAnew(.damaged)
        return try file.replica.apply(
            scope.states.values.sorted { $0.key < $1.key }, checkpoint: nil, serverTime: nil)
    }

    static let damages = [
        ("content", "UPDATE person SET name = 'persom 3' WHERE id = \(id(3))"),
        ("number", "UPDATE spending SET amount = 7 WHERE id = \(id(3))"),
        ("reference", "UPDATE spending SET person = \(id(4)) WHERE id = \(id(3))"),
        ("lost row", "DELETE FROM person WHERE id = \(id(18))"),
        ("identifier", "UPDATE person SET id = \(id(0x4000)) WHERE id = \(id(18))"),
        ("hash", "UPDATE roost_fact SET hash = zeroblob(16) WHERE id = \(id(3))"),
        ("no hash", "UPDATE roost_fact SET hash = x'00' WHERE id = \(id(3))"),
        ("stamp", "UPDATE roost_fact SET put_stamp = randomblob(16) WHERE id = \(id(3))"),
        (
            "own stamp far ahead",
            "UPDATE roost_fact SET put_stamp = CAST(x'ff' || substr(put_stamp, 2) AS BLOB) WHERE id = \(id(3))"
        ),
        (
            "own stamp a little ahead",
            "UPDATE roost_fact SET put_stamp = CAST(substr(put_stamp, 1, 7) || x'ff' || substr(put_stamp, 9) AS BLOB) WHERE id = \(id(3))"
        ),
        ("delete", "UPDATE roost_fact SET del_stamp = x'00000000000000010000000000000009' WHERE id = \(id(3))"),
        ("record of a slot", "UPDATE roost_fact SET id = x'00' WHERE id = \(id(3)) AND entity = 1"),
        ("lost slot", "DELETE FROM roost_fact WHERE id = \(id(18))"),
        ("what no schema knows", "INSERT INTO roost_extra(entity, id, put) VALUES (1, \(id(3)), x'0f')"),
    ]

    @Test(arguments: damages)
    func damageIsFoundAndRepairedAndWhatWaitsIsKept(name: String, damage: String) throws {
        let (file, scope) = try synchronised()
        try file.sql("UPDATE person SET name = 'edited' WHERE id = \(id(7))")
        let shown = try file.texts("SELECT name FROM person ORDER BY id")
        let spent = try file.texts("SELECT content || amount || hex(person) FROM spending ORDER BY id")
        try file.damage(damage)
        try file.makeScrubDue()
        #expect(try file.replica.scrub() == .damaged)
        #expect(try file.replica.status().damaged > 0)
        #expect(try file.texts("SELECT kind FROM roost_event") == ["damage"])
        // A second check before the repair reports nothing again.
        #expect(try file.replica.scrub() == .damaged)
        #expect(try file.texts("SELECT kind FROM roost_event") == ["damage"])
        _ = try pullAnew(file, scope)
        #expect(try file.replica.status().damaged == 0)
        #expect(try file.texts("SELECT name FROM person ORDER BY id") == shown)
        #expect(try file.texts("SELECT content || amount || hex(person) FROM spending ORDER BY id") == spent)
        #expect(try file.replica.check().isSound)
        #expect(try file.replica.scrub() == .sound)
        #expect(try file.replica.status().waiting == 1)
        #expect(try file.replica.lostCount() == 0)
        try scope.push(file.replica)
        #expect(try file.replica.digest() == scope.digest)
    }

    @Test(arguments: damages)
    func aCheckOfAllFindsItAndHasTheNextSessionRepairIt(name: String, damage: String) throws {
        let (file, scope) = try synchronised()
        #expect(try file.replica.check().isSound)
        try file.damage(damage)
        let check = try file.replica.check()
        #expect(!check.isSound)
        #expect(check.isRepaired)
        // The check finds the corruption even if a scrub has just completed.
        #expect(try file.replica.scrub() == .damaged)
        _ = try pullAnew(file, scope)
        #expect(try file.replica.check().isSound)
    }

    /// A flipped bit moves a slot to a key where no look-up finds it.
    @Test func aSlotAtTheWrongPlaceIsTakenAway() throws {
        let (file, scope) = try synchronised()
        let slot = try file.texts("SELECT hex(id) || hex(put_stamp) FROM roost_fact WHERE entity = 1 AND id = \(id(3))")
        let bytes = try #require(Hex.decode((slot.first ?? "").lowercased().utf8))
        try file.plain.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        try file.replica.close()
        var content = try Data(contentsOf: URL(filePath: file.path))
        let place = try #require(content.firstRange(of: Data(bytes))?.lowerBound)
        content[place] ^= 0x80
        try content.write(to: URL(filePath: file.path))
        file.replica = try Replica(opening: file.path)
        #expect(try !file.replica.check().isSound)
        #expect(try file.replica.scrub() == .damaged)
        _ = try pullAnew(file, scope)
        #expect(try file.replica.check().isSound)
        #expect(try file.replica.digest() == scope.digest)
    }

    /// An entry with an invalid relationship number must not stop the scrub either.
    @Test func aNumberThatNamesNoRelationshipEndsNothing() throws {
        let (file, _) = try synchronised()
        try file.damage(
            "INSERT INTO roost_raw(entity, id, relationship, target) VALUES (2, \(id(3)), -1, randomblob(16))")
        try file.makeScrubDue()
        #expect(try file.replica.scrub() == .sound)
    }

    /// Makes a replica that is resynchronised after it has lost the outbox entry of an edit.
    private func resynchronised(withLostEdit name: String) throws -> (TemporaryReplica, MemoryScope) {
        let (file, scope) = try synchronised()
        try file.sql("UPDATE person SET name = '\(name)' WHERE id = \(id(3))")
        try file.damage("DELETE FROM roost_outbox")
        #expect(try file.replica.check().damaged.count == 1)
        _ = try pullAnew(file, scope)
        return (file, scope)
    }

    /// An edit whose outbox entry is lost does not look like corruption: it is a change.
    @Test func anEditWithoutAnOutboxEntryIsAChange() throws {
        let (file, scope) = try resynchronised(withLostEdit: "mine")
        #expect(try file.texts("SELECT name FROM person WHERE id = \(id(3))") == ["mine"])
        // The journal keeps the confirmed content, in case the row was corrupt.
        #expect(try file.replica.journal().map(\.outcome) == [.damaged])
        try scope.synchronise(file.replica)
        let other = try TemporaryReplica(TemporaryReplica.people, id: 2)
        try scope.synchronise(other.replica)
        #expect(try other.texts("SELECT name FROM person WHERE id = \(id(3))") == ["mine"])
    }

    /// An edit of one letter that lost its outbox entry cannot be distinguished from corruption: the journal keeps it.
    @Test func whatIsWrittenOverIsInTheJournal() throws {
        let (file, _) = try resynchronised(withLostEdit: "Person 3")
        #expect(try file.texts("SELECT name FROM person WHERE id = \(id(3))") == ["person 3"])
        let entries = try file.replica.journal()
        #expect(entries.map(\.outcome) == [.damaged])
        #expect(try file.texts("SELECT put FROM roost_journal WHERE instr(put, 'Person 3') > 0").count == 1)
    }

    /// The scrub continues where it stopped, even in another process, and does not restart early.
    @Test func slicesGoOnWhereTheyStopped() throws {
        let (file, _) = try synchronised(1300)
        try file.damage("UPDATE person SET name = 'x' WHERE id = \(id(1200))")
        try file.makeScrubDue()
        #expect(try file.replica.scrub() == .more)
        try file.replica.close()
        file.replica = try Replica(opening: file.path)
        #expect(try file.replica.scrub() == .more)
        #expect(try file.replica.scrub() == .damaged)
        let (sound, _) = try synchronised(1300)
        try sound.makeScrubDue()
        #expect(try [sound.replica.scrub(), sound.replica.scrub(), sound.replica.scrub()] == [.more, .more, .sound])
        try sound.damage("UPDATE person SET name = 'x' WHERE id = \(id(1200))")
        #expect(try sound.replica.scrub() == .sound, "all was looked at just now")
    }

    /// Changes between two slices are no corruption, and make the sum of the slots meaningless.
    @Test func changesMeanwhileAreNoDamage() throws {
        let (file, scope) = try synchronised(1300)
        try file.makeScrubDue()
        for number in 0..<2 {
            #expect(try file.replica.scrub() == .more)
            try file.sql("UPDATE person SET name = 'new' WHERE id IN (\(id(5 + number)), \(id(1290 + number)))")
            if number == 0 { try scope.synchronise(file.replica) }
        }
        #expect(try file.replica.scrub() == .sound)
    }

    /// The clock was 10 years ahead at the end of the last scrub.
    @Test func aClockThatWasSetBackPutsItNotOff() throws {
        let (file, _) = try synchronised()
        try file.sql("UPDATE roost_control SET scrubbed = scrubbed + 315360000000")
        try file.damage("UPDATE person SET name = 'x' WHERE id = \(id(3))")
        #expect(try file.replica.scrub() == .damaged)
    }

    /// The rows are intact, but the index for their look-up has lost one.
    @Test func aDamagedIndexIsMadeAnewFromTheRows() throws {
        let (file, _) = try synchronised()
        let root = try file.count("SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_person_1'")
        let size = try file.count("PRAGMA page_size")
        try file.plain.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        try file.replica.close()
        try file.plain.close()
        let handle = try FileHandle(forWritingTo: URL(filePath: file.path))
        try handle.seek(toOffset: UInt64(root * size - 10))
        try handle.write(contentsOf: Data([0x77]))
        try handle.close()
        file.replica = try Replica(opening: file.path)
        let check = try file.replica.check()
        #expect(!check.faults.isEmpty)
        #expect(check.damaged == [])
        #expect(try file.replica.check().isSound)
        #expect(try file.replica.events(limit: 9).map(\.kind) == ["damage"])
    }

    /// Content that a refusal has rewritten from the server's state is confirmed by it.
    @Test func contentThatARefusalHasBroughtIsNoDamage() throws {
        let (file, scope) = try synchronised()
        let other = try TemporaryReplica(TemporaryReplica.people, id: 2)
        try scope.pull(other.replica)
        try other.sql("UPDATE person SET name = 'theirs' WHERE id = \(id(3))")
        try scope.push(other.replica)
        try file.sql("UPDATE person SET name = 'mine' WHERE id = \(id(3))")
        try scope.push(file.replica) { _ in ("No.", false) }
        #expect(try file.texts("SELECT name FROM person WHERE id = \(id(3))") == ["theirs"])
        #expect(try file.replica.check().isComparable)
        #expect(try file.replica.check().isSound)
        try file.makeScrubDue()
        try scope.pull(file.replica, checkpoint: [1])
        #expect(try file.replica.scrub() == .sound)
    }
}

extension TemporaryReplica {
    /// Runs a statement with Roost's triggers disabled, to simulate corrupt bytes.
    func damage(_ statement: String) throws {
        try sql(
            "UPDATE roost_control SET applying = 1000000; \(statement); UPDATE roost_control SET applying = 0")
    }

    /// Makes the last scrub appear long ago.
    func makeScrubDue() throws {
        try sql("UPDATE roost_control SET scrubbed = 0")
    }
}
