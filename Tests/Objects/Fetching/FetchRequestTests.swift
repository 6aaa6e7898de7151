import Objects
import Replica
import RoostModel
import Testing

@Suite struct FetchRequestTests {
    /// Makes saved books A and C of Ana, B and D of Bob, with 1 to 4 pages in the order of titles.
    private func library() throws -> (TestLibrary, ObjectContext) {
        let library = try TestLibrary()
        let context = library.context()
        let authors = [try context.make("Author", "Ana"), try context.make("Author", "Bob")]
        for (index, title) in ["A", "B", "C", "D"].enumerated() {
            let book = try context.make("Book", title, ["author": authors[index % 2]])
            try book.set("pages", to: .integer(Int64(index + 1)))
        }
        try context.save()
        return (library, library.context())
    }

    private func books(
        _ format: String? = nil, _ sorts: [FetchSortDescriptor] = [.ascending("title")]
    ) throws -> FetchRequest<ManagedObject> {
        FetchRequest("Book", where: try format.map { try FetchPredicate(format: $0) }, sortedBy: sorts)
    }

    @Test func predicateAndOrderGoThroughRelationships() throws {
        let (library, context) = try library()
        defer { _ = library }
        #expect(try context.fetch(books("author.name == 'Bob' AND pages > 1")).map(\.label) == ["B", "D"])
        let sorts: [FetchSortDescriptor] = [.descending("author.name"), .descending("pages")]
        #expect(try context.fetch(books(nil, sorts)).map(\.label) == ["D", "B", "C", "A"])
    }

    @Test func limitAndOffsetCutTheOrder() throws {
        let (library, context) = try library()
        defer { _ = library }
        var request = try books()
        request.offset = 1
        request.limit = 2
        #expect(try context.fetch(request).map(\.label) == ["B", "C"])
        #expect(try context.count(request) == 2)
        request.offset = 3
        #expect(try context.fetchIDs(request).count == 1)
        #expect(try context.count(request) == 1)
        request.limit = 0
        #expect(try context.fetch(request).isEmpty)
    }

    @Test func aFetchGivesTheObjectThatIsThere() throws {
        let (library, context) = try library()
        defer { _ = library }
        let first = try #require(try context.fetch(books("title == 'A'")).first)
        #expect(try context.fetch(books("title == 'A'")).first === first)
    }

    @Test func aFetchSeesWhatOthersSaved() throws {
        let (library, context) = try library()
        let book = try #require(try context.fetch(books("title == 'A'")).first)
        try library.replica.write("by hand") { try $0.put("Book", id: book.objectID.record, ["pages": .integer(9)]) }
        _ = try context.fetch(books())
        #expect(try book.value(of: "pages") == .integer(9))
    }

    @Test func unsavedChangesCountAsIfTheyWereSaved() throws {
        let (library, context) = try library()
        defer { _ = library }
        let all = try context.fetch(books())
        try all[0].set("title", to: .string("Z"))
        try context.delete(all[1])
        let ana = try #require(try all[0].object("author"))
        try context.make("Book", "B2", ["author": ana])
        #expect(try context.fetch(books()).map(\.label) == ["B2", "C", "D", "Z"])
        #expect(try context.fetch(books("author.name == 'Ana'")).map(\.label) == ["B2", "C", "Z"])
        #expect(try context.count(books("title == 'A'")) == 0)
        try ana.set("name", to: .string("Zoe"))
        #expect(try context.fetch(books("author.name == 'Zoe'")).count == 3)
        try context.delete(ana)
        #expect(try context.fetch(books()).map(\.label) == ["D"])
    }

    @Test func referencesToWhatIsDeletedReadNil() throws {
        let library = try TestLibrary()
        let context = library.context()
        let shelf = try context.make("Shelf", "s")
        try context.make("Book", "A", ["shelf": shelf])
        try context.save()
        try context.delete(shelf)
        #expect(try context.count(books("shelf == nil")) == 1)
        context.rollback()
        #expect(try context.count(books("shelf == nil")) == 0)
    }

    @Test func namesAreSortedAsInADictionary() throws {
        let library = try TestLibrary()
        let context = library.context()
        for name in ["Zoe", "Éva", "eric", "Fay", "Adam"] { try context.make("Author", name) }
        let request = FetchRequest<ManagedObject>("Author", sortedBy: [.ascending("name", .localized)])
        #expect(try context.fetch(request).map(\.label) == ["Adam", "eric", "Éva", "Fay", "Zoe"])
    }

    @Test func valuesWithoutObjects() throws {
        let (library, context) = try library()
        defer { _ = library }
        let rows = try context.fetchValues(books("pages < 3"), ["title", "author.name"])
        #expect(rows == [[.string("A"), .string("Ana")], [.string("B"), .string("Bob")]])
        #expect(
            try context.fetchValues(books(), ["author.name"], isDistinct: true) == [[.string("Ana")], [.string("Bob")]])
    }

    @Test func groupsHaveTheirAggregates() throws {
        let (library, context) = try library()
        defer { _ = library }
        let groups = try context.fetchGroups(
            books(), by: ["author.name"], .count(), .sum("pages"), .average("pages"), .minimum("title"),
            .maximum("pages"))
        #expect(
            groups.map(\.aggregates) == [
                [.integer(2), .integer(4), .double(2), .string("A"), .integer(3)],
                [.integer(2), .integer(6), .double(3), .string("B"), .integer(4)],
            ])
        #expect(groups.map(\.values) == [[.string("Ana")], [.string("Bob")]])
        let empty = try context.fetchGroups(books("pages > 9"), .count(), .sum("pages"), .average("pages"))
        #expect(empty.map(\.aggregates) == [[.integer(0), .integer(0), .null]])
    }

    @Test func aSumOfTextIsRefused() throws {
        let (library, context) = try library()
        defer { _ = library }
        let error = #expect(throws: ObjectError.self) { try context.fetchGroups(books(), .sum("title")) }
        #expect(error?.code == .invalidRequest)
    }

    @Test func mistakesInPathsAreSaid() throws {
        let (library, context) = try library()
        defer { _ = library }
        #expect(throws: FetchPredicateError.self) { try context.fetch(books("titel == 'A'")) }
        #expect(throws: FetchPredicateError.self) { try context.fetch(books(nil, [.ascending("author.nom")])) }
        #expect(throws: ObjectError.self) { try context.fetch(FetchRequest<ManagedObject>("Boek")) }
    }

    @Test func aListAsksTheStoreForItsRelationshipsOnce() throws {
        let library = try TestLibrary()
        let writer = library.context()
        for number in 0..<300 {
            try writer.make("Book", "\(number)", ["author": try writer.make("Author", "\(number)")])
        }
        try writer.save()
        let context = library.context()
        let before = context.readCount
        let books = try context.fetch(FetchRequest<ManagedObject>("Book"))
        #expect(try books.compactMap { try $0.object("author")?.label }.count == 300)
        #expect(context.readCount - before == 2)
        #expect(
            try books.compactMap { try $0.object("author")?.objects("books").count } == Array(repeating: 1, count: 300))
        #expect(context.readCount - before == 3)
    }

    @Test func prefetchedRelationshipsAreReadWithTheObjects() throws {
        let (library, context) = try library()
        defer { _ = library }
        var request = try books()
        request.prefetchedRelationships = ["author"]
        let books = try context.fetch(request)
        let before = context.readCount
        #expect(try books[0].object("author")?.label == "Ana")
        #expect(context.readCount == before)
    }

    @Test func severalStoresAreOneResult() throws {
        let (one, two) = (try TestLibrary(), try TestLibrary())
        let coordinator = try StoreCoordinator(one.replica, two.replica)
        let context = ObjectContext(coordinator)
        for (index, title) in ["A", "B", "C", "D"].enumerated() {
            let book = try context.insert("Book", into: coordinator.stores[index % 2].id)
            try book.set("title", to: .string(title))
            try book.set("pages", to: .integer(Int64(index)))
        }
        try context.save()
        #expect(try one.count("book") == 2)
        #expect(try two.count("book") == 2)
        var request = try books()
        #expect(try ObjectContext(coordinator).fetch(request).map(\.label) == ["A", "B", "C", "D"])
        request.offset = 1
        request.limit = 2
        #expect(try context.fetch(request).map(\.label) == ["B", "C"])
        #expect(
            try context.fetchGroups(request, .sum("pages"), .average("pages")).map(\.aggregates) == [
                [.integer(6), .double(1.5)]
            ])
        request.stores = [coordinator.stores[1].id]
        request.offset = 0
        #expect(try context.fetch(request).map(\.label) == ["B", "D"])
    }

    @Test func objectsOfTwoStoresAreNotLinked() throws {
        let (one, two) = (try TestLibrary(), try TestLibrary())
        let coordinator = try StoreCoordinator(one.replica, two.replica)
        let context = ObjectContext(coordinator)
        let author = try context.insert("Author", into: coordinator.stores[0].id)
        let book = try context.insert("Book", into: coordinator.stores[1].id)
        let error = #expect(throws: ObjectError.self) { try book.set("author", to: author) }
        #expect(error?.code == .foreignObject)
    }
}
