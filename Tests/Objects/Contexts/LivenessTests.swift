import Objects
import Replica
import RoostModel
import Testing

@Suite struct LivenessTests {
    @Test func aHiddenObjectSaysWhatHidesIt() throws {
        let library = try TestLibrary()
        let context = library.context()
        let author = try context.make("Author", "Ana")
        let book = try context.make("Book", "A", ["author": author])
        let note = try context.make("Note", "n", ["book": book])
        try context.save()
        #expect(try context.liveness(of: note.objectID) == .visible)
        try context.delete(author)
        try context.save()
        #expect(try context.liveness(of: author.objectID) == .deleted)
        #expect(try context.liveness(of: note.objectID) == .hidden(because: author.objectID))
    }

    /// The delete and the reference come from different devices. The merge keeps the parent visible.
    @Test func aKeptObjectSaysWhatKeepsIt() throws {
        let library = try TestLibrary()
        let context = library.context()
        let series = try context.make("Series", "s")
        try context.save()
        let book = try context.make("Book", "A", ["series": series])
        try context.save()
        try library.deleteElsewhere(series.objectID)
        #expect(try context.liveness(of: series.objectID) == .kept(by: [book.objectID]))
        #expect(try library.count("series") == 1)
    }
}
