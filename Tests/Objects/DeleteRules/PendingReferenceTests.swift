import Objects
import Replica
import RoostModel
import Testing

/// Cascade children of an object that is deleted among unsaved changes.
@Suite struct PendingReferenceTests {
    /// The authors Ana and Bob with two saved books each, and a context that has nothing unsaved.
    private struct Stage {
        let library: TestLibrary
        let context: ObjectContext
        let ana: ManagedObject
        let bob: ManagedObject
        let books: [ManagedObject]

        init() throws {
            library = try TestLibrary()
            let context = library.context()
            (ana, bob) = (try context.make("Author", "Ana"), try context.make("Author", "Bob"))
            let authors = [ana, ana, bob, bob]
            books = try ["A", "B", "C", "D"].enumerated().map { number, title in
                try context.make("Book", title, ["author": authors[number]])
            }
            try context.save()
            self.context = context
        }

        /// The titles of the books that are not deleted.
        var titles: String { books.filter { !$0.isDeleted }.map(\.label).joined() }
    }

    /// The cost of a delete does not depend on what is unsaved.
    @Test(arguments: [false, true]) func aDeleteLaysNothingOverTheStore(_ isSaved: Bool) throws {
        let library = try TestLibrary()
        let context = library.context()
        let authors = try (0..<20).map { number in
            let author = try context.make("Author", "\(number)")
            for title in 0..<20 { try context.make("Book", "\(title)", ["author": author]) }
            return author
        }
        if isSaved { try context.save() }
        let (reads, overlaid) = (context.readCount, context.overlaidCount)
        for author in authors { try context.delete(author) }
        #expect(context.overlaidCount == overlaid)
        // One read for each relationship that cascades: to books, to their notes and links, and to nothing below.
        #expect(context.readCount - reads <= authors.count * 4)
        #expect(try context.count(FetchRequest<ManagedObject>("Book")) == 0)
        try context.save()
        #expect(try library.count("book") == 0)
    }

    @Test func unsavedReferencesCount() throws {
        let stage = try Stage()
        try stage.books[0].set("author", to: stage.bob)
        let new = try stage.context.make("Book", "E", ["author": stage.ana])
        try stage.books[1].set("title", to: .string("B2"))
        try stage.context.delete(stage.ana)
        #expect(stage.titles == "ACD")
        #expect(new.isDeleted && stage.books[1].isDeleted)
        try stage.context.save()
        #expect(try stage.library.count("book", "title IN ('A', 'C', 'D')") == 3)
        #expect(try stage.library.count("book") == 3)
    }

    /// References that change after a delete count for the next one.
    @Test func laterReferencesCount() throws {
        let stage = try Stage()
        let (cem, eva) = (try stage.context.make("Author", "Cem"), try stage.context.make("Author", "Eva"))
        try stage.context.delete(stage.ana)
        #expect(stage.titles == "CD")
        try stage.books[2].set("author", to: cem)
        try stage.books[3].set("author", to: eva)
        try stage.books[3].set("author", to: cem)
        let new = try stage.context.make("Book", "E", ["author": cem])
        try stage.context.delete(eva)
        try stage.context.delete(stage.bob)
        #expect(stage.titles == "CD" && !new.isDeleted)
        try stage.context.delete(cem)
        #expect(stage.titles == "" && new.isDeleted)
        stage.context.rollback()
        #expect(stage.titles == "ABCD")
        try stage.context.delete(stage.bob)
        #expect(stage.titles == "AB")
    }

    /// A refresh merges the reference of another context into an object with edits.
    @Test func mergedReferencesCount() throws {
        let stage = try Stage()
        let cem = try stage.context.make("Author", "Cem")
        try stage.context.save()
        try stage.books[0].set("title", to: .string("A2"))
        try stage.context.delete(stage.bob)
        let other = stage.library.context()
        try other.object(with: stage.books[0].objectID)?.set("author", to: other.object(with: cem.objectID))
        try other.save()
        try stage.context.refresh()
        try stage.context.delete(cem)
        #expect(stage.titles == "B")
        #expect(!stage.ana.isDeleted)
    }

    /// Saved objects that an undo and an undelete change.
    @Test func undoneReferencesCount() throws {
        let stage = try Stage()
        let context = stage.context
        context.undoHistory = UndoHistory()
        let cem = try context.make("Author", "Cem")
        try context.save()
        try context.group("move") { try stage.books[0].set("author", to: cem) }
        try context.group("delete") { try context.delete(stage.bob) }
        try context.undo()
        try context.undo()
        try context.delete(cem)
        #expect(stage.titles == "ABCD")
        try context.delete(stage.ana)
        #expect(stage.titles == "CD")
        try context.save()
        try context.undelete("Author", id: stage.ana.objectID.record)
        #expect(stage.titles == "ABCD")
        try stage.books[2].set("author", to: stage.ana)
        try context.delete(stage.ana)
        #expect(stage.titles == "D")
    }

    /// The unsaved changes of a parent count, and those of the child before them.
    @Test func referencesOfAParentCount() throws {
        let stage = try Stage()
        try stage.books[0].set("author", to: stage.bob)
        let new = try stage.context.make("Book", "E", ["author": stage.bob])
        let child = ObjectContext(childOf: stage.context)
        func own(_ object: ManagedObject) throws -> ManagedObject {
            try #require(try child.object(with: object.objectID))
        }
        let books = try stage.books.map(own)
        let (ana, bob, ofParent) = (try own(stage.ana), try own(stage.bob), try own(new))
        try books[3].set("author", to: ana)
        try child.delete(bob)
        #expect(books.map(\.isDeleted) == [true, false, true, false] && ofParent.isDeleted)
        #expect(stage.titles == "ABCD")
        try child.save()
        #expect(stage.titles == "BD" && new.isDeleted)
        try stage.context.save()
        #expect(try stage.library.count("book") == 2)
    }

    /// A deny rule counts unsaved references, also after earlier deletes.
    @Test func unsavedReferencesDeny() throws {
        let stage = try Stage()
        let series = try stage.context.make("Series", "s")
        try stage.context.save()
        try stage.context.delete(stage.ana)
        try stage.books[2].set("series", to: series)
        try stage.context.delete(series)
        let error = #expect(throws: ObjectError.self) { try stage.context.save() }
        #expect(error?.code == .denied)
        try stage.books[2].set("series", to: nil)
        try stage.context.save()
        #expect(try stage.library.count("series") == 0)
    }

    /// References to a new object are cleared with it, also those that are made after an earlier delete.
    @Test func referencesToANewObjectAreCleared() throws {
        let stage = try Stage()
        try stage.context.delete(stage.bob)
        let shelf = try stage.context.make("Shelf", "s")
        try stage.books[0].set("shelf", to: shelf)
        try stage.context.delete(shelf)
        #expect(try stage.books[0].value(of: "shelf") == .null)
        try stage.context.save()
        #expect(try stage.library.count("book", "shelf IS NULL") == 2)
    }

    /// A saved object that is moved below a new one is deleted with it, and its own children with it.
    @Test func whatHangsOffANewObjectIsDeletedForItself() throws {
        let stage = try Stage()
        let context = stage.context
        let note = try context.make("Note", "n", ["book": stage.books[0]])
        try context.save()
        try context.delete(stage.bob)
        let cem = try context.make("Author", "Cem")
        try stage.books[0].set("author", to: cem)
        try context.delete(cem)
        #expect(stage.titles == "B" && note.isDeleted)
        try context.save()
        #expect(try context.liveness(of: note.objectID) == .hidden(because: stage.books[0].objectID))
        #expect(try context.liveness(of: stage.books[0].objectID) == .deleted)
        #expect(try context.liveness(of: stage.books[2].objectID) == .hidden(because: stage.bob.objectID))
    }

    /// The context derives again what its deletes hide, when an object is inserted under its identifier.
    @Test func aHierarchyStaysHidden() throws {
        let library = try TestLibrary()
        let context = library.context()
        let folders = try ["1", "2", "3"].map { try context.make("Folder", $0) }
        for (child, parent) in zip(folders.dropFirst(), folders) { try child.set("parent", to: parent) }
        try context.save()
        try context.delete(folders[0])
        #expect(folders.map(\.isDeleted) == [true, true, true])
        try context.insert("Tag", id: RecordID(derivedFrom: ["tag"])).set("name", to: .string("t"))
        #expect(folders.map(\.isDeleted) == [true, true, true])
        #expect(try context.fetch(FetchRequest<ManagedObject>("Folder")).isEmpty)
        try context.save()
        #expect(try library.count("folder") == 0)
    }
}
