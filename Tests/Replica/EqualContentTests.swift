import Replica
import RoostModel
import TestScope
import Testing

/// Two devices that write the same content of one record: one edit beats the other, and nothing is lost.
@Suite struct EqualContentTests {
    private let scope = MemoryScope()
    private let ana: TemporaryReplica
    private let bob: TemporaryReplica

    init() throws {
        ana = try TemporaryReplica(TemporaryReplica.people, id: 1)
        bob = try TemporaryReplica(TemporaryReplica.people, id: 2)
    }

    private func exchange() throws {
        for file in [ana, bob, ana, bob] { try scope.synchronise(file.replica) }
    }

    private func beaten() throws -> Int {
        try [ana, bob].reduce(0) { sum, file in
            try sum + file.replica.journal().filter { $0.outcome == .beaten }.count
        }
    }

    @Test func anEqualInsertIsNotJournaled() throws {
        for file in [ana, bob] { try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')") }
        try exchange()
        #expect(try beaten() == 0)
        #expect(try bob.replica.digest() == ana.replica.digest())
    }

    @Test func anEqualEditIsNotJournaledAndAnotherOneIs() throws {
        try ana.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana'), (\(id(2)), 'Bob')")
        try exchange()
        for file in [ana, bob] { try file.sql("UPDATE person SET name = 'Anna' WHERE id = \(id(1))") }
        try exchange()
        #expect(try beaten() == 0)
        try ana.sql("UPDATE person SET name = 'Bo' WHERE id = \(id(2))")
        try bob.sql("UPDATE person SET name = 'Rob' WHERE id = \(id(2))")
        try exchange()
        #expect(try beaten() == 1)
        #expect(
            try bob.texts("SELECT name FROM person ORDER BY id") == ana.texts("SELECT name FROM person ORDER BY id"))
    }
}
