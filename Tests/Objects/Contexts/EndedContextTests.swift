import Objects
import Replica
import RoostModel
import TestPlainSQL
import Testing

/// Objects that the program holds longer than their context.
@Suite struct EndedContextTests {
    /// Ana with the books A and B, which have a tag and a shelf. A has a note.
    private static func library() throws -> TestLibrary {
        let library = try TestLibrary(classes: LibrarySchema.classes)
        let context = library.context()
        let (ana, shelf, tag) = (
            try context.insert(Author.self), try context.insert(Shelf.self), try context.insert(Tag.self)
        )
        (ana.name, shelf.name, tag.name) = ("Ana", "s", "t")
        for title in ["A", "B"] {
            let book = try context.insert(Book.self)
            (book.title, book.author, book.shelf) = (title, ana, shelf)
            book.addToTags(tag)
        }
        let note = try context.insert(Note.self)
        (note.text, note.book) = ("n", ana.books[0])
        try context.save()
        return library
    }

    private static let byTitle = FetchRequest<Book>(sortedBy: [.ascending("title")])

    /// Returns books whose context ends with this function.
    private static func books(
        _ library: TestLibrary, _ use: (ObjectContext, [Book]) throws -> Void = { _, _ in }
    ) throws -> [Book] {
        let context = library.context()
        let books = try context.fetch(byTitle)
        try use(context, books)
        return books
    }

    // MARK: Reading

    @Test(arguments: [false, true]) func relationshipsAreReadAfterwards(_ wereRead: Bool) throws {
        let library = try Self.library()
        let books = try Self.books(library) { _, books in
            guard wereRead else { return }
            for book in books { _ = (book.author?.books, book.shelf?.books, book.tags.first?.books, book.notes) }
        }
        #expect(books.map(\.title) == ["A", "B"])
        #expect(books.map { $0.author?.name } == ["Ana", "Ana"])
        #expect(books[0].author?.books == books)
        #expect(books[0].author === books[1].author)
        #expect(books[0].shelf?.books == books)
        #expect(books[1].tags.map(\.name) == ["t"])
        #expect(books[1].tags.first?.books == books)
        #expect(books.map(\.notes.count) == [1, 0])
        #expect(try books[0].objects("notes").first?.object("book") === books[0])
        #expect(try books[0].object("author")?.label == "Ana")
        #expect(try books.sorted(by: [.ascending("author.name"), .descending("title")]).map(\.title) == ["B", "A"])
        #expect(books[0].context?.failure == nil)
    }

    @Test func aTemporaryContextIsEnough() throws {
        let library = try Self.library()
        let names = try ObjectContext(library.coordinator).fetch(Self.byTitle).map { $0.author?.name }
        #expect(names == ["Ana", "Ana"])
        let book = try #require(try ObjectContext(library.coordinator).fetch(Self.byTitle).first)
        #expect(book.author?.books.first === book)
    }

    @Test func singleEndsAndOrdersAreReadAfterwards() throws {
        let library = try OneToOneTests.registry()
        func stored() throws -> (Holder, Volume) {
            let context = library.context()
            let ana = try OneToOneTests.holder("Ana", in: context)
            _ = try OneToOneTests.passport("1", of: ana, in: context)
            let volume = try OrderedRelationshipTests.volume("abc", in: context)
            volume.moveInChapters(from: 2, to: 0)
            try context.save()
            return (ana, volume)
        }
        let (ana, volume) = try stored()
        #expect(ana.passport?.number == "1" && ana.passport?.holder === ana)
        #expect(OrderedRelationshipTests.titles(volume) == "cab")
    }

    /// A relationship of one object is read for all objects of the fetch, as before the end.
    @Test func manyObjectsCostFewReads() throws {
        let library = try Self.library()
        let writer = library.context()
        for number in 0..<100 {
            let author = try writer.insert(Author.self)
            author.name = "\(number)"
            let book = try writer.insert(Book.self)
            (book.title, book.author) = ("C", author)
        }
        try writer.save()
        let books = try Self.books(library)
        let context = try #require(books[0].context)
        #expect(books.compactMap(\.author?.name).count == 102)
        #expect(context.readCount == 1)
    }

    @Test func theContextOfTheObjectsReadsAsAnyOther() throws {
        let library = try Self.library()
        let books = try Self.books(library)
        let context = try #require(books[0].context)
        #expect(try context.fetch(Self.byTitle) == books)
        #expect(try context.object(with: books[0].objectID) === books[0])
        #expect(try context.count(Self.byTitle) == 2)
        try PlainSQL(library.replica.path).execute("UPDATE book SET title = 'C' WHERE title = 'B'")
        #expect(try context.refresh().changed == [books[1].objectID])
        #expect(books[1].title == "C")
        try library.deleteElsewhere(books[1].objectID)
        try context.refresh()
        #expect(books[1].isDeleted && !books[0].isDeleted)
        #expect(books[0].author?.books == [books[0]])
    }

    @Test func aChildContextEndsLikeAnyOther() throws {
        let library = try Self.library()
        let context = library.context()
        let new = try context.insert(Author.self)
        func inForm() throws -> Author {
            try #require(try ObjectContext(childOf: context).object(with: new.objectID) as? Author)
        }
        new.name = "Bob"
        let author = try inForm()
        let book = try context.insert(Book.self)
        (book.title, book.author) = ("D", new)
        #expect(author.name == "Bob")
        #expect(author.books.map(\.title) == ["D"])
    }

    // MARK: Changing

    /// Changes by name throw, and change nothing.
    @Test func changesByNameThrow() throws {
        let library = try Self.library()
        let books = try Self.books(library)
        let (author, tag) = (try #require(books[0].author), try #require(books[0].tags.first))
        let changes: [() throws -> Void] = [
            { try books[0].set("title", to: .string("C")) },
            { try books[0].set("author", to: nil) },
            { try author.add(books[0], to: "books") },
            { try author.remove(books[0], from: "books") },
            { try books[0].add(tag, to: "tags") },
            { try books[0].remove(tag, from: "tags") },
            { try #require(books[0].context).delete(books[0]) },
            { try #require(books[0].context).insert(Book.self) },
            { try #require(books[0].context).insert("Book", id: RecordID(derivedFrom: ["new"])) },
            { try #require(books[0].context).undelete(Book.self, id: books[0].objectID.record) },
        ]
        for change in changes {
            let error = #expect(throws: ObjectError.self) { try change() }
            #expect(error?.code == .contextEnded)
        }
        #expect(books[0].title == "A" && books[0].author === author && books[0].tags == [tag])
        #expect(books[0].context?.hasChanges == false)
    }

    /// Assignments cannot throw. They change nothing, and each save of the objects' context throws.
    @Test func assignmentsAreThrownByEverySave() throws {
        let library = try Self.library()
        let books = try Self.books(library)
        let (context, author) = (try #require(books[0].context), try #require(books[0].author))
        books[0].title = "C"
        books[0].author = nil
        author.removeFromBooks(books[1])
        #expect(books[0].title == "A" && books[0].author === author && author.books == books)
        #expect(context.hasChanges)
        for _ in 0..<2 {
            let error = #expect(throws: ObjectError.self) { try context.save() }
            #expect(error?.code == .contextEnded && error?.problems.count == 3)
        }
    }

    /// Changes that were not saved are lost, are not shown, and are named by a save.
    @Test func unsavedChangesAreLostAndNamed() throws {
        let library = try Self.library()
        var made: Book?
        let books = try Self.books(library) { context, books in
            books[0].title = "C"
            try context.delete(books[1])
            made = try context.insert(Book.self)
            made?.title = "D"
        }
        let new = try #require(made)
        #expect(books.map(\.title) == ["A", "B"])
        #expect(!books[1].isDeleted && new.isDeleted)
        #expect(books[0].author?.books == books)
        let context = try #require(new.context)
        #expect(context.hasChanges)
        let error = #expect(throws: ObjectError.self) { try context.save() }
        #expect(error?.code == .contextEnded)
        #expect(error?.problems.count == 3)
        #expect(try library.count("book") == 2)
    }

    @Test func aChildOfAnEndedContextCannotSave() throws {
        let library = try Self.library()
        let books = try Self.books(library)
        let form = ObjectContext(childOf: try #require(books[0].context))
        let book = try #require(try form.object(with: books[0].objectID) as? Book)
        book.title = "C"
        let error = #expect(throws: ObjectError.self) { try form.save() }
        #expect(error?.code == .contextEnded)
        #expect(books[0].title == "A")
    }

    @Test func anotherContextTakesNoneOfTheObjects() throws {
        let library = try Self.library()
        let books = try Self.books(library)
        let context = library.context()
        let author = try context.insert(Author.self)
        #expect(throws: ObjectError.self) { try author.add(books[0], to: "books") }
        let own = try #require(try context.object(with: books[0].objectID) as? Book)
        author.name = "Bob"
        author.addToBooks(own)
        try context.save()
        try books[0].context?.refresh()
        #expect(books[0].author?.name == "Bob")
    }

    // MARK: Memory

    /// Nothing is left once the program holds no object, also of objects that lead to each other.
    @Test(arguments: [false, true]) func nothingIsLeft(_ hasChanges: Bool) throws {
        let library = try Self.library()
        weak var context: ObjectContext?
        weak var book: Book?
        weak var author: Author?
        func use() throws {
            let books = try Self.books(library) { context, books in
                for book in books { _ = (book.author?.books, book.tags.first?.books) }
                if hasChanges { books[0].title = "C" }
            }
            for book in books { _ = (book.author?.books, book.tags.first?.books, book.notes.first?.book) }
            (context, book, author) = (books[0].context, books[1], books[0].author)
            #expect(context != nil && author != nil)
        }
        try use()
        #expect(context == nil && book == nil && author == nil)
    }

    /// Objects that only the context held end with it.
    @Test func whatTheProgramDoesNotHoldEnds() throws {
        let library = try Self.library()
        weak var other: Book?
        func first() throws -> Book {
            try Self.books(library) { context, books in
                other = books[1]
                books[1].title = "C"
                _ = books[0].author?.books
            }[0]
        }
        let book = try first()
        #expect(other == nil)
        #expect(book.context?.registeredCount == 1)
        #expect(book.author?.books.map(\.title) == ["A", "B"])
    }
}
