import Objects
import Replica
import RoostModel
import TestPlainSQL
import Testing

@Suite struct RelationshipTests {
    @Test func settingOneSideMaintainsTheOther() throws {
        let library = try TestLibrary()
        let context = library.context()
        let (ana, bob) = (try context.make("Author", "Ana"), try context.make("Author", "Bob"))
        let book = try context.make("Book", "A", ["author": ana])
        #expect(try ana.objects("books") == [book])
        try bob.add(book, to: "books")
        #expect(try ana.objects("books").isEmpty)
        #expect(try book.object("author") === bob)
        try bob.remove(book, from: "books")
        #expect(try book.object("author") == nil)
    }

    @Test func savedMembersAndNewOnesAreOneList() throws {
        let library = try TestLibrary()
        let writer = library.context()
        let author = try writer.make("Author", "Ana")
        for title in ["A", "B"] { try writer.make("Book", title, ["author": author]) }
        try writer.save()
        let context = library.context()
        let ana = try #require(try context.object(with: author.objectID))
        try context.make("Book", "C", ["author": ana])
        #expect(try ana.objects("books").map(\.label) == ["A", "B", "C"])
    }

    @Test func membersThatMoveBeforeTheListIsReadAreFollowed() throws {
        let library = try TestLibrary()
        let writer = library.context()
        let (ana, bob) = (try writer.make("Author", "Ana"), try writer.make("Author", "Bob"))
        let book = try writer.make("Book", "A", ["author": ana])
        try writer.save()
        let context = library.context()
        let mine = try #require(try context.object(with: book.objectID))
        try mine.set("author", to: try context.object(with: bob.objectID))
        #expect(try context.object(with: ana.objectID)?.objects("books").isEmpty == true)
        #expect(try context.object(with: bob.objectID)?.objects("books") == [mine])
    }

    @Test func manyToManyIsOneLinkForBothSides() throws {
        let library = try TestLibrary()
        let context = library.context()
        let (book, tag) = (try context.make("Book", "A"), try context.make("Tag", "t"))
        try book.add(tag, to: "tags")
        try tag.add(book, to: "books")
        #expect(try tag.objects("books") == [book])
        try context.save()
        #expect(try library.count("book_tags") == 1)
        let other = library.context()
        let theirs = try #require(try other.object(with: tag.objectID))
        #expect(try theirs.objects("books").map(\.objectID) == [book.objectID])
        try theirs.remove(try #require(try theirs.objects("books").first), from: "books")
        #expect(try other.object(with: book.objectID)?.objects("tags").isEmpty == true)
        try other.save()
        #expect(try library.count("book_tags") == 0)
    }

    @Test func aLinkThatIsRemovedAndAddedIsNoChange() throws {
        let library = try TestLibrary()
        let context = library.context()
        let (book, tag) = (try context.make("Book", "A"), try context.make("Tag", "t"))
        try book.add(tag, to: "tags")
        try context.save()
        try book.remove(tag, from: "tags")
        #expect(context.hasChanges)
        try book.add(tag, to: "tags")
        #expect(!context.hasChanges)
    }

    /// A program that knows only SQL lets SQLite make the identifier of a link. Two such programs may write a link twice.
    @Test(arguments: [false, true], [false, true]) func linksOfAnotherProgramAreRemoved(
        isSettled: Bool, alsoByTheLibrary: Bool
    ) throws {
        let library = try TestLibrary()
        let context = library.context()
        let (book, tag) = (try context.make("Book", "A"), try context.make("Tag", "t"))
        if alsoByTheLibrary { try book.add(tag, to: "tags") }
        try context.save()
        for _ in 1...2 {
            try PlainSQL(library.replica.path).execute(
                "INSERT INTO book_tags(source, target) SELECT book.id, tag.id FROM book, tag")
        }
        _ = try context.refresh()
        #expect(try book.objects("tags") == [tag])
        try book.remove(tag, from: "tags")
        #expect(try book.objects("tags").isEmpty)
        try book.add(tag, to: "tags")
        #expect(!context.hasChanges)
        try book.remove(tag, from: "tags")
        if isSettled {
            let other = library.context()
            try other.make("Tag", "u")
            try other.save()
        }
        try context.save()
        #expect(try library.count("book_tags") == 0)
        let reader = library.context()
        #expect(try reader.object(with: book.objectID)?.objects("tags").isEmpty == true)
    }

    @Test func objectsOfTwoContextsAreNotLinked() throws {
        let library = try TestLibrary()
        let (one, two) = (library.context(), library.context())
        let book = try one.make("Book", "A")
        let author = try two.make("Author", "Ana")
        let error = #expect(throws: ObjectError.self) { try book.set("author", to: author) }
        #expect(error?.code == .foreignObject)
        #expect(try book.object("author") == nil)
    }

    @Test func anObjectOfAnotherEntityIsNotLinked() throws {
        let library = try TestLibrary()
        let context = library.context()
        let (book, shelf) = (try context.make("Book", "A"), try context.make("Shelf", "s"))
        let error = #expect(throws: ObjectError.self) { try book.set("author", to: shelf) }
        #expect(error?.code == .invalidValue)
    }
}
