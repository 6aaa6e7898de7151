import Objects
import Replica
import RoostModel
import Testing

/// The four delete rules in a context, before and after a save.
@Suite struct DeleteRuleTests {
    @Test func cascadeTakesEveryLevelAtOnce() throws {
        let library = try TestLibrary()
        let context = library.context()
        let author = try context.make("Author", "Ana")
        let book = try context.make("Book", "A", ["author": author])
        let note = try context.make("Note", "n", ["book": book])
        try context.save()
        try context.delete(author)
        #expect(book.isDeleted)
        #expect(note.isDeleted)
        #expect(try context.object(with: note.objectID) == nil)
        #expect(context.deletedObjects == [author])
    }

    @Test func cascadeWritesOneDelete() throws {
        let library = try TestLibrary()
        let context = library.context()
        let author = try context.make("Author", "Ana")
        for title in ["A", "B"] { try context.make("Book", title, ["author": author]) }
        try context.save()
        try context.delete(author)
        try context.save()
        #expect(try library.count("roost_outbox", "del_stamp IS NOT NULL") == 1)
        #expect(try library.count("book") == 0)
        #expect(try library.replica.deleted().count == 1)
    }

    @Test func unreadChildrenAreGoneToo() throws {
        let library = try TestLibrary()
        let writer = library.context()
        let author = try writer.make("Author", "Ana")
        let book = try writer.make("Book", "A", ["author": author])
        try writer.save()
        let context = library.context()
        try context.delete(try #require(try context.object(with: author.objectID)))
        #expect(try context.object(with: book.objectID) == nil)
    }

    @Test func aChildThatMovedAwayStays() throws {
        let library = try TestLibrary()
        let context = library.context()
        let (ana, bob) = (try context.make("Author", "Ana"), try context.make("Author", "Bob"))
        let book = try context.make("Book", "A", ["author": ana])
        try context.save()
        try book.set("author", to: bob)
        try context.delete(ana)
        #expect(!book.isDeleted)
        try context.save()
        #expect(try library.count("book") == 1)
    }

    @Test func nullifyReadsNilAndKeepsWhatIsStored() throws {
        let library = try TestLibrary()
        let context = library.context()
        let shelf = try context.make("Shelf", "s")
        let book = try context.make("Book", "A", ["shelf": shelf])
        try context.save()
        try context.delete(shelf)
        #expect(try book.object("shelf") == nil)
        #expect(!book.hasChanges)
        try context.save()
        #expect(try library.count("book", "shelf IS NULL") == 1)
        try library.replica.write("bring it back") { try $0.undelete("Shelf", id: shelf.objectID.record) }
        #expect(try library.count("book", "shelf IS NOT NULL") == 1)
    }

    @Test func denyIsLookedAtWhenSaved() throws {
        let library = try TestLibrary()
        let context = library.context()
        let series = try context.make("Series", "s")
        let book = try context.make("Book", "A", ["series": series])
        try context.save()
        try context.delete(series)
        let error = #expect(throws: ObjectError.self) { try context.save() }
        #expect(error?.code == .denied)
        #expect(error?.message.contains("1 Book name it as \"series\"") == true)
        #expect(try library.count("series") == 1)
        try context.delete(book)
        try context.save()
        #expect(try library.count("series") == 0)
    }

    @Test func noActionLeavesTheReferenceAsWritten() throws {
        let library = try TestLibrary()
        let context = library.context()
        let reader = try context.make("Reader", "r")
        let book = try context.make("Book", "A")
        let note = try context.make("Note", "n", ["book": book, "reader": reader])
        try context.save()
        try context.delete(reader)
        #expect(try note.object("reader") == nil)
        #expect(try note.objectID(of: "reader") == reader.objectID)
        try context.save()
        #expect(try library.count("note", "reader IS NOT NULL") == 1)
    }

    @Test func aTreeGoesWithItsRoot() throws {
        let library = try TestLibrary()
        let context = library.context()
        let root = try context.make("Folder", "root")
        let middle = try context.make("Folder", "middle", ["parent": root])
        let leaf = try context.make("Folder", "leaf", ["parent": middle])
        try context.save()
        try context.delete(root)
        #expect(leaf.isDeleted)
        try context.save()
        #expect(try library.count("folder") == 0)
    }

    @Test func linksGoWithEitherEnd() throws {
        let library = try TestLibrary()
        let context = library.context()
        let (book, tag) = (try context.make("Book", "A"), try context.make("Tag", "t"))
        try book.add(tag, to: "tags")
        try context.save()
        try context.delete(tag)
        #expect(try book.objects("tags").isEmpty)
        try context.save()
        #expect(try library.count("book_tags") == 0)
    }

    @Test func aNewParentTakesItsNewChildrenWithIt() throws {
        let library = try TestLibrary()
        let context = library.context()
        let author = try context.make("Author", "Ana")
        let book = try context.make("Book", "A", ["author": author])
        try context.delete(author)
        #expect(book.isDeleted)
        #expect(!context.hasChanges)
    }

    @Test func childrenThatHoldEachOtherBackAreDeletedInOrder() throws {
        let library = try TestLibrary()
        let context = library.context()
        let series = try context.make("Series", "s")
        let author = try context.make("Author", "Ana")
        let book = try context.make("Book", "A", ["series": series, "author": author])
        try context.save()
        for object in [series, book, author] { try context.delete(object) }
        try context.save()
        #expect(try library.count("roost_outbox", "del_stamp IS NOT NULL") == 3)
    }
}
