import Objects
import Replica
import RoostModel
import Testing

@Suite struct UndeletingTests {
    /// Makes an author with a book on a shelf, and a note of the book. Another context deletes the author and the shelf.
    private func library() throws -> (library: TestLibrary, author: ObjectID, book: ObjectID, shelf: ObjectID) {
        let library = try TestLibrary(classes: LibrarySchema.classes)
        let context = library.context()
        let author = try context.make("Author", "Ana")
        let shelf = try context.make("Shelf", "top")
        let book = try context.make("Book", "A", ["author": author, "shelf": shelf])
        try context.make("Note", "n", ["book": book])
        try context.save()
        try context.delete(author)
        try context.delete(shelf)
        try context.save("tidy")
        return (library, author.objectID, book.objectID, shelf.objectID)
    }

    @Test func itComesBackWithItsContentAndWhatItHad() throws {
        let (library, author, book, shelf) = try library()
        let context = library.context()
        let back = try context.undelete(Author.self, id: author.record)
        #expect(back.name == "Ana")
        #expect(back.books.map(\.objectID) == [book])
        #expect(try library.count("author") == 0)
        #expect(try context.undelete("Shelf", id: shelf.record).objects("books").map(\.objectID) == [book])
        try context.save("undelete")
        #expect(try library.count("author", "name = 'Ana'") == 1)
        #expect(try library.count("book b JOIN shelf s ON b.shelf = s.id JOIN note n ON n.book = b.id") == 1)
        #expect(!context.hasChanges)
    }

    @Test func whatIsEditedThenIsSavedWithIt() throws {
        let (library, author, _, _) = try library()
        let context = library.context()
        try context.undelete(Author.self, id: author.record).name = "Anne"
        try context.save()
        #expect(try library.count("author", "name = 'Anne'") == 1)
    }

    @Test func aRollbackAndAnUndoTakeItBack() throws {
        let (library, author, book, _) = try library()
        let context = library.context()
        context.undoHistory = UndoHistory()
        try context.undelete(Author.self, id: author.record)
        context.rollback()
        #expect(try context.object(with: author) == nil && context.object(with: book) == nil)
        try context.undelete(Author.self, id: author.record)
        try context.save()
        try context.undo()
        #expect(try context.object(with: book) == nil)
        try context.save()
        #expect(try library.count("author") == 0)
    }

    @Test func aDeleteThatIsNotSavedIsTakenBack() throws {
        let library = try TestLibrary(classes: LibrarySchema.classes)
        let context = library.context()
        let author = try context.make("Author", "Ana")
        let book = try context.make("Book", "A", ["author": author])
        try context.save()
        try context.delete(author)
        #expect(try context.undelete(Author.self, id: author.objectID.record) === author)
        #expect(!book.isDeleted && !context.hasChanges)
    }

    @Test func aChildContextHandsItOn() throws {
        let (library, author, _, _) = try library()
        let parent = library.context()
        let child = ObjectContext(childOf: parent)
        try child.undelete(Author.self, id: author.record)
        try child.save()
        #expect(try parent.object(Author.self, id: author.record)?.name == "Ana")
        #expect(try library.count("author") == 0)
        try parent.save()
        #expect(try library.count("author a JOIN book b ON b.author = a.id") == 1)
    }

    /// Random earlier deletes are reverted in another context. All authors are undeleted, because the book of a deleted author
    /// would stay hidden.
    @Test(arguments: 0..<40) func whatIsSeenBeforeTheSaveIsWhatIsSaved(_ seed: UInt64) throws {
        let library = try TestLibrary()
        let writer = library.context()
        var play = RandomEdits(seed: seed, writer)
        try play.fill()
        for _ in 0..<8 {
            try writer.save()
            try play.edit()
        }
        try writer.save()
        let context = library.context()
        context.undoHistory = UndoHistory()
        let view = RandomEdits(seed: seed, context)
        let before = try view.contents()
        let names = Dictionary(uniqueKeysWithValues: library.replica.schema.entities.map { ($0.id, $0.name) })
        for (key, _, _) in try library.replica.deleted() {
            guard let name = names[key.entity], name == "Author" || play.chance(2) else { continue }
            try context.group("undelete") { _ = try context.undelete(name, id: key.id) }
        }
        let seen = try view.contents()
        while try context.undo() != nil {}
        #expect(try view.contents() == before)
        while try context.redo() != nil {}
        #expect(try view.contents() == seen)
        try context.save()
        #expect(try view.contents() == seen)
        #expect(try RandomEdits(seed: seed, library.context()).contents() == seen)
    }

    @Test func whatIsNotDeletedIsRefusedWithTheReason() throws {
        let (library, author, book, _) = try library()
        let context = library.context()
        func reason(_ entity: String, _ id: RecordID) -> String {
            let error = #expect(throws: ObjectError.self) { try context.undelete(entity, id: id) }
            #expect(error?.code == .unknown)
            return error?.message ?? ""
        }
        #expect(reason("Book", book.record).contains("hidden because of \(author.record)"))
        #expect(reason("Book", RecordID(derivedFrom: ["nobody"])).contains("keeps nothing of it"))
        let other = try context.make("Author", "Bob")
        #expect(reason("Author", other.objectID.record).contains("not deleted"))
        try context.save()
        #expect(reason("Author", other.objectID.record).contains("not deleted"))
        #expect(!context.hasChanges)
    }
}
