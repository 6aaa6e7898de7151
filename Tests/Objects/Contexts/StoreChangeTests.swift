import Objects
import Replica
import RoostModel
import TestPlainSQL
import Testing

/// The author of each change, as the coordinator reports it.
@Suite struct StoreChangeTests {
    /// The file is polled during transactions. A change read before its commit is not reported as a foreign one.
    @Test func savesAreNeverTakenForThoseOfAnotherProgram() async throws {
        let library = try TestLibrary()
        let changes = try library.coordinator.changes()
        let context = library.context()
        let author = try context.make("Author", "0")
        for number in 1...300 {
            try author.set("name", to: .string("\(number)"))
            try context.save()
        }
        // The last change, which ends the sequence.
        try PlainSQL(library.replica.path).execute("UPDATE author SET name = 'end'")
        var authors: [StoreChange.Author] = []
        for await change in changes {
            authors.append(change.author)
            if change.author == .otherProgram { break }
        }
        #expect(authors.filter { $0 == .context(context.id) }.count == 300)
        #expect(authors.last == .otherProgram)
        #expect(try library.count("author", "name = 'end'") == 1)
    }
}
