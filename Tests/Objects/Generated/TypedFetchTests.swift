import Objects
import Replica
import RoostModel
import Testing

/// Requests, orders and sections built from the fields of generated classes.
@Suite struct TypedFetchTests {
    /// Makes books C and A of Ana, and B of Éva.
    private static func filled(
        _ classes: [ManagedObject.Type] = LibrarySchema.classes
    ) throws -> (TestLibrary, ObjectContext) {
        let library = try TestLibrary(classes: classes)
        let context = library.context()
        for (author, books) in [("Éva", [("B", 90)]), ("Ana", [("C", 200), ("A", 50)])] {
            let new = try context.insert(Author.self)
            new.name = author
            for (title, pages) in books {
                let book = try context.insert(Book.self)
                book.title = title
                book.pages = Int64(pages)
                book.author = new
            }
        }
        try context.save()
        return (library, context)
    }

    @Test func predicateAndOrderAreThoseOfTheirPaths() throws {
        let request = FetchRequest<Book>(
            where: \.author.name == "Ana" && \.pages < 100,
            sortedBy: [.ascending(\.author.name, .localized), .descending(\.pages)], limit: 3)
        #expect(
            request
                == FetchRequest<Book>(
                    where: try FetchPredicate(format: "author.name == 'Ana' AND pages < 100"),
                    sortedBy: [.ascending("author.name", .localized), .descending("pages")], limit: 3))
    }

    @Test func propertiesOfARequestAreTypedToo() throws {
        let text = try FetchPredicate(format: "pages > 60")
        var request = FetchRequest<Book>()
        request.predicate = \.pages < 100
        request.sortDescriptors = [.ascending(\.author.name, .localized)]
        request.sortDescriptors.append(.descending(\.pages))
        let order: [FetchSortDescriptor] = [.ascending("author.name", .localized), .descending("pages")]
        #expect(request == FetchRequest(where: try FetchPredicate(format: "pages < 100"), sortedBy: order))
        request.predicate = text && \.title == "B"
        request.sortDescriptors = [.ascending("title")]
        #expect(request.sortDescriptors == [.ascending(\.title)])
        let (library, context) = try Self.filled()
        defer { _ = library }
        #expect(try context.fetch(request).map(\.title) == ["B"])
        request.predicate = text
        #expect(request.predicate == TypedPredicate(text))
        #expect(try context.fetch(request).map(\.title) == ["B", "C"])
        request.predicate = nil
        #expect(try context.count(request) == 3)
    }

    @Test func aConditionIsMadeStepByStep() throws {
        let (library, context) = try Self.filled()
        defer { _ = library }
        func titles(_ name: String?, atLeast pages: Int?) throws -> [String] {
            var filter: TypedPredicate<Book.Fields> = .all
            if let name { filter = filter && \.author.name == name }
            if let pages { filter = filter && \.pages >= pages }
            return try context.fetch(FetchRequest<Book>(where: filter, sortedBy: [.ascending(\.title)])).map(\.title)
        }
        #expect(try titles(nil, atLeast: nil) == ["A", "B", "C"])
        #expect(try titles("Ana", atLeast: nil) == ["A", "C"])
        #expect(try titles("Ana", atLeast: 100) == ["C"])
    }

    @Test func typedOrderGoesWithAPredicateInText() throws {
        let predicate = try FetchPredicate(format: "pages > 60")
        let (library, context) = try Self.filled()
        defer { _ = library }
        let request = FetchRequest<Book>(where: predicate, sortedBy: [.ascending(\.title)])
        #expect(try context.fetch(request).map(\.title) == ["B", "C"])
        #expect(
            try context.fetch(FetchRequest<Book>(sortedBy: [.descending(\.title)])).map(\.title) == ["C", "B", "A"])
        #expect(try context.fetch(FetchRequest<Book>(where: \.lent == false)).count == 3)
    }

    @Test func longConditionsAreInferred() throws {
        let (library, context) = try Self.filled()
        defer { _ = library }
        let request = FetchRequest<Book>(
            where: (\.author.name == "Ana" || \.author.name == "Éva") && \.pages >= 50 && \.pages < 200
                && \.series == nil && !(\.rating != nil) && (\Book.Fields.notes).count() == 0)
        #expect(try context.fetch(request).map(\.title) == ["B", "A"])
    }

    @Test func objectsAndTheirIdentifiersStandInPredicates() throws {
        let (library, context) = try Self.filled()
        defer { _ = library }
        let ana = try #require(try context.fetch(FetchRequest<Author>(where: \.name == "Ana")).first)
        let book = try #require(ana.books.first)
        let titles = try [
            FetchRequest<Book>(where: \.author == ana),
            FetchRequest<Book>(where: \.author == ana.objectID),
            FetchRequest<Book>(where: (\Book.Fields.author).isIn([ana])),
            FetchRequest<Book>(where: try FetchPredicate(format: "author == %@", ana)),
            FetchRequest<Book>(where: try FetchPredicate(format: "author IN %@", [ana])),
            FetchRequest<Book>(where: try FetchPredicate(format: "author == %@", ana.objectID)),
        ].map { try context.fetch($0).map(\.title) }
        #expect(titles == Array(repeating: ["C", "A"], count: 6))
        #expect(try context.fetch(FetchRequest<Author>(where: (\Author.Fields.books).contains(book))) == [ana])
        #expect(try context.fetch(FetchRequest<Book>(where: \.author != ana)).map(\.title) == ["B"])
    }

    @Test func subclassHasTheFieldsOfItsSuperclass() throws {
        let (library, context) = try Self.filled(LibrarySchema.classes + [CheckedBook.self])
        defer { _ = library }
        let request = FetchRequest<CheckedBook>(where: \.author.name == "Ana", sortedBy: [.ascending(\.title)])
        #expect(try context.fetch(request).map(\.title) == ["A", "C"])
        #expect(try context.fetch(request).sorted(by: [.descending(\.title)]).map(\.title) == ["C", "A"])
        let results = try FetchedResultsController(request, in: context)
        try results.performFetch()
        #expect(results.snapshot.rowCount == 2)
    }

    @Test func sectionsAreThoseOfAField() throws {
        let (library, context) = try Self.filled()
        defer { _ = library }
        let request = FetchRequest<Book>(sortedBy: [.ascending(\.author.name, .localized), .ascending(\.pages)])
        let results = try FetchedResultsController(request, in: context, sectionedBy: \.author.name)
        try results.performFetch()
        #expect(results.sectionPath == "author.name")
        #expect(results.snapshot.sections.map(\.name) == ["Ana", "Éva"])
    }

    @Test func wordsOfTheFormatLanguageAreFieldsToo() throws {
        struct Fields: EntityFields {
            let path: String
            init(path: String) { self.path = path }
            var all: FieldPath<String> { attribute("all") }
        }
        let descriptor = FetchSortDescriptor(TypedSortDescriptor<Fields>.ascending(\.all))
        #expect(descriptor.path == "#all")
    }
}
