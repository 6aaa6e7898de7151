import Foundation
import Objects
import Replica
import RoostModel
import Testing

/// Relationships of generated classes, and fetches by class.
@Suite struct TypedRelationshipTests {
    private static func library() throws -> TestLibrary { try TestLibrary(classes: LibrarySchema.classes) }

    private static func author(_ name: String, in context: ObjectContext) throws -> Author {
        let author = try context.insert(Author.self)
        author.name = name
        return author
    }

    private static func book(_ title: String, by author: Author? = nil, in context: ObjectContext) throws -> Book {
        let book = try context.insert(Book.self)
        book.title = title
        book.author = author
        return book
    }

    @Test func settingOneSideMaintainsTheOther() throws {
        let library = try Self.library()
        let context = library.context()
        let (ana, bob) = (try Self.author("Ana", in: context), try Self.author("Bob", in: context))
        let book = try Self.book("A", by: ana, in: context)
        #expect(ana.books == [book])
        book.author = bob
        #expect(ana.books.isEmpty && bob.books == [book])
        book.author = nil
        #expect(bob.books.isEmpty)
    }

    @Test func addingAndRemovingMaintainsTheOtherSide() throws {
        let library = try Self.library()
        let context = library.context()
        let ana = try Self.author("Ana", in: context)
        let (first, second) = (try Self.book("A", in: context), try Self.book("B", in: context))
        ana.addToBooks(second)
        ana.addToBooks(first)
        #expect(ana.books == [first, second] && first.author === ana)
        ana.removeFromBooks(first)
        #expect(ana.books == [second] && first.author == nil)
        #expect(context.failure == nil)
    }

    @Test func manyToManyIsReadAndChangedFromBothSides() throws {
        let library = try Self.library()
        let context = library.context()
        let book = try Self.book("A", in: context)
        let tag = try context.insert(Tag.self)
        tag.name = "t"
        book.addToTags(tag)
        #expect(tag.books == [book] && book.tags == [tag])
        tag.removeFromBooks(book)
        #expect(book.tags.isEmpty)
    }

    @Test func aTreeNamesItsOwnClass() throws {
        let library = try Self.library()
        let context = library.context()
        let (root, leaf) = (try context.insert(Folder.self), try context.insert(Folder.self))
        leaf.parent = root
        #expect(root.children == [leaf])
    }

    @Test func whatIsDeletedReadsNil() throws {
        let library = try Self.library()
        let context = library.context()
        let book = try Self.book("A", in: context)
        let shelf = try context.insert(Shelf.self)
        shelf.name = "s"
        book.shelf = shelf
        try context.save()
        try context.delete(shelf)
        #expect(book.shelf == nil)
    }

    @Test func aFailedSetterIsThrownByEverySave() throws {
        let library = try Self.library()
        let (context, other) = (library.context(), library.context())
        let book = try Self.book("A", in: context)
        book.author = try Self.author("Ana", in: other)
        #expect(book.author == nil)
        #expect(context.failure?.code == .foreignObject)
        #expect(other.failure == nil)
        let failure = context.failure
        for _ in 0..<2 {
            let error = #expect(throws: ObjectError.self) { try context.save() }
            #expect(error == failure)
        }
        #expect(context.failure == failure)
        #expect(try library.count("book") == 0)
    }

    @Test func aFailedAddIsThrownByTheNextSave() throws {
        let library = try Self.library()
        let (context, other) = (library.context(), library.context())
        let ana = try Self.author("Ana", in: context)
        ana.addToBooks(try Self.book("A", in: other))
        #expect(ana.books.isEmpty)
        let error = #expect(throws: ObjectError.self) { try context.save() }
        #expect(error?.code == .foreignObject)
    }

    @Test func rollbackForgetsAFailedSetter() throws {
        let library = try Self.library()
        let (context, other) = (library.context(), library.context())
        try Self.book("A", in: context).author = Self.author("Ana", in: other)
        context.rollback()
        #expect(context.failure == nil)
        _ = try Self.book("B", in: context)
        try context.save()
        #expect(try library.count("book", "title = 'B'") == 1)
    }

    @Test func fetchedObjectsHaveTheirClass() throws {
        let library = try Self.library()
        let writer = library.context()
        let ana = try Self.author("Ana", in: writer)
        for title in ["B", "A"] { _ = try Self.book(title, by: ana, in: writer) }
        try writer.save()
        let context = library.context()
        let books = try context.fetch(FetchRequest<Book>(sortedBy: [.ascending("title")]))
        #expect(books.map(\.title) == ["A", "B"])
        #expect(books.compactMap(\.author?.name) == ["Ana", "Ana"])
        #expect(books.first?.author?.books.map(\.title) == ["B", "A"])
    }

    @Test func fieldsMakePredicates() throws {
        let library = try Self.library()
        let context = library.context()
        let ana = try Self.author("Ana", in: context)
        let dear = try Self.book("A", by: ana, in: context)
        dear.pages = 300
        let tag = try context.insert(Tag.self)
        tag.name = "new"
        dear.addToTags(tag)
        try Self.book("B", by: Self.author("Bob", in: context), in: context).pages = 300
        _ = try Self.book("C", by: ana, in: context)
        let tagged = (\Book.Fields.tags).any(\.name == "new")
        let typed = \Book.Fields.author.name == "Ana" && \.pages > 100 && tagged
        #expect(try context.fetch(FetchRequest<Book>(where: FetchPredicate(typed))) == [dear])
    }

    @Test func propertyNamesMakePredicatesOfFoundation() throws {
        let library = try Self.library()
        let context = library.context()
        let ana = try Self.author("Ana", in: context)
        let wanted = try Self.book("A", by: ana, in: context)
        _ = try Self.book("B", by: ana, in: context)
        _ = try Self.book("A", in: context)
        let foundation = #Predicate<Book> { $0.author?.name == "Ana" && $0.title == "A" }
        let predicate = try FetchPredicate(foundation, names: LibrarySchema.propertyNames)
        #expect(try context.fetch(FetchRequest<Book>(where: predicate)) == [wanted])
    }
}
