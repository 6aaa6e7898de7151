import Objects
import Replica
import RoostModel
import Testing

/// Subclasses of generated classes.
@Suite struct SubclassTests {
    private static func library() throws -> TestLibrary {
        try TestLibrary(classes: LibrarySchema.classes + [CheckedBook.self])
    }

    @Test func theLastClassOfAnEntityCounts() throws {
        let library = try Self.library()
        let context = library.context()
        #expect(try context.insert(Book.self) is CheckedBook)
        #expect(try context.insert("Book") is CheckedBook)
    }

    @Test func awakeFromInsertRunsOnceForANewObject() throws {
        let library = try Self.library()
        let writer = library.context()
        let book = try writer.insert(CheckedBook.self)
        #expect(book.title == "Untitled")
        book.title = "A"
        try writer.save()
        #expect(try library.context().fetch(FetchRequest<CheckedBook>()).map(\.title) == ["A"])
    }

    @Test func willSaveChangesWhatIsSaved() throws {
        let library = try Self.library()
        let context = library.context()
        try context.insert(CheckedBook.self).title = "A\nB"
        try context.save()
        #expect(try library.count("book", "title = 'AB'") == 1)
    }

    @Test func validateRefusesASave() throws {
        let library = try Self.library()
        let context = library.context()
        let book = try context.insert(CheckedBook.self)
        book.pages = 10_001
        let error = #expect(throws: ObjectError.self) { try context.save() }
        #expect(error?.code == .validation)
        #expect(error?.message.contains("Make it two books.") == true)
        #expect(try library.count("book") == 0)
    }

    @Test func relationshipsGiveTheSubclass() throws {
        let library = try Self.library()
        let context = library.context()
        let author = try context.insert(Author.self)
        author.addToBooks(try context.insert(CheckedBook.self))
        #expect(author.books.first is CheckedBook)
    }
}
