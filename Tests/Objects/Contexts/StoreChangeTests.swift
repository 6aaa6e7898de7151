import Objects
import Replica
import RoostModel
import TestPlainSQL
import Testing

/// Who has written, as a coordinator tells it.
@Suite struct StoreChangeTests {
    /// The file is looked at while transactions are under way: what was read before a commit is no news.
    @Test func savesAreNeverTakenForThoseOfAnotherProgram() async throws {
        let library = try TestLibrary()
        let changes = try library.coordinator.changes()
        let context = library.context()
        let author = try context.make("Author", "0")
        for number in 1...300 {
            try author.set("name", to: .text("\(number)"))
            try context.save()
        }
        // A last change by which the end is known.
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
