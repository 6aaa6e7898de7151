import Foundation
import Objects
import Replica
import RoostModel
import Testing

/// Values, groups, prefetched relationships and updates that use the fields of generated classes.
@Suite struct TypedValuesTests {
    private let library: TestLibrary
    private let context: ObjectContext

    /// Makes books A, B and C of Ana on a shelf, and D without an author.
    init() throws {
        library = try TestLibrary(classes: LibrarySchema.classes)
        context = library.context()
        let ana = try context.insert(Author.self)
        ana.name = "Ana"
        let shelf = try context.insert(Shelf.self)
        shelf.name = "S"
        for (title, pages, rating) in [("A", 50, 4.5), ("B", 200, nil), ("C", 50, 1.5), ("D", 10, nil)] {
            let book = try context.insert(Book.self)
            (book.title, book.pages, book.rating) = (title, Int64(pages), rating)
            guard title != "D" else { continue }
            (book.author, book.shelf) = (ana, shelf)
        }
        try context.save()
    }

    private func request(_ format: String = "TRUEPREDICATE") throws -> FetchRequest<Book> {
        FetchRequest(where: try FetchPredicate(format: format), sortedBy: [.ascending(\.title)])
    }

    @Test func valuesComeWithTheirTypes() throws {
        let rows = try context.fetchValues(request(), \.title, \.pages, \.rating, \.lent, \.author.name)
        #expect(rows.map { $0.0 } == ["A", "B", "C", "D"])
        #expect(rows.map { $0.1 } == [50, 200, 50, 10])
        #expect(rows.map { $0.2 } == [4.5, nil, 1.5, nil])
        #expect(rows.map { $0.3 } == [false, false, false, false])
        #expect(rows.map { $0.4 } == ["Ana", "Ana", "Ana", nil])
    }

    @Test func oneFieldIsAnArray() throws {
        let pages: [Int64?] = try context.fetchValues(request(), \.pages, isDistinct: true)
        #expect(pages == [10, 50, 200])
    }

    @Test func unsavedChangesCount() throws {
        try context.insert(Book.self).title = "E"
        let titles = try context.fetchValues(request(), \.title)
        #expect(titles == ["A", "B", "C", "D", "E"])
    }

    @Test func datesIdentifiersAndDataAreRead() throws {
        let samples = try TestLibrary(SamplesSchema.text, classes: SamplesSchema.classes)
        let context = samples.context()
        let sample = try context.insert(Sample.self)
        (sample.instant, sample.code, sample.bytes) = (Date(timeIntervalSince1970: 5.25), UUID(), Data([1, 2]))
        let rows = try context.fetchValues(FetchRequest<Sample>(), \.instant, \.code, \.bytes)
        #expect(rows.count == 1)
        #expect(try #require(rows.first) == (sample.instant, sample.code, sample.bytes))
    }

    @Test func groupsAndAggregatesComeWithTheirTypes() throws {
        let groups = try context.fetchGroups(
            request(), by: \.author.name, \.pages,
            computing: .count(), .count(\.rating), .sum(\.pages), .sum(\.rating), .average(\.rating), .minimum(\.title),
            .maximum(\.rating))
        #expect(groups.map { $0.values.0 } == [nil, "Ana", "Ana"])
        #expect(groups.map { $0.values.1 } == [10, 50, 200])
        #expect(groups.map { $0.aggregates.0 } == [1, 2, 1])
        #expect(groups.map { $0.aggregates.1 } == [0, 2, 0])
        #expect(groups.map { $0.aggregates.2 } == [10, 100, 200])
        #expect(groups.map { $0.aggregates.3 } == [0, 6, 0])
        #expect(groups.map { $0.aggregates.4 } == [nil, 3, nil])
        #expect(groups.map { $0.aggregates.5 } == ["D", "A", "B"])
        #expect(groups.map { $0.aggregates.6 } == [nil, 4.5, nil])
    }

    @Test func aggregatesOfAllAreOneTuple() throws {
        let (pages, count, best) = try context.fetchAggregates(request(), .sum(\.pages), .count(), .maximum(\.rating))
        #expect((pages, count) == (310, 4) && best == 4.5)
        let nothing = try context.fetchAggregates(request("pages > 999"), .sum(\.pages), .average(\.pages))
        #expect(nothing.0 == 0 && nothing.1 == nil)
    }

    @Test func aSumThatDoesNotFitThrows() throws {
        for book in try context.fetch(request("author != nil")) { book.pages = .max }
        let error = #expect(throws: ObjectError.self) { try context.fetchAggregates(request(), .sum(\.pages)) }
        #expect(error?.code == .invalidValue)
        #expect(error?.message.contains("sum of \"pages\"") == true)
    }

    @Test func aValueOfAnotherTypeThrows() throws {
        let error = #expect(throws: ObjectError.self) { try context.fetchValues(FetchRequest<OldBook>(), \.title) }
        #expect(error?.code == .invalidValue)
    }

    @Test func relationshipsOfAPathAreReadWithTheObjects() throws {
        let request = try request().prefetching(\.author.books, \.shelf)
        #expect(request.prefetchedRelationships == ["author.books", "shelf"])
        let (own, objects) = try library.read(request)
        let before = own.readCount
        #expect(objects.map { $0.author?.books.count } == [3, 3, 3, nil])
        #expect(objects.map { $0.shelf?.name } == ["S", "S", "S", nil])
        #expect(own.readCount == before)
    }

    @Test func aRelationshipToSeveralIsFollowed() throws {
        let request = FetchRequest<Author>().prefetching(\.books)
        var deep = request
        deep.prefetchedRelationships = ["books.shelf"]
        let (own, authors) = try library.read(deep)
        let before = own.readCount
        #expect(authors.flatMap(\.books).map { $0.shelf?.name } == ["S", "S", "S"])
        #expect(own.readCount == before)
    }

    @Test func updatesAreThoseOfTheirProperties() throws {
        let bob = try context.insert(Author.self)
        bob.name = "Bob"
        try context.save()
        let count = try context.updateAll(
            request("author != nil"),
            [.set(\.rating, to: nil), .set(\.lent, to: true), .set(\.author, to: bob), .set(\.shelf, to: nil)], "give")
        let books = try context.fetch(request("lent == true"))
        #expect(count == 3 && books.map(\.title) == ["A", "B", "C"])
        #expect(books.allSatisfy { $0.rating == nil && $0.author == bob && $0.shelf == nil })
        #expect(try context.updateAll(request(), [.set(\.author, to: bob.objectID)]) == 1)
    }

    @Test func anUpdateThatDoesNotFitChangesNothing() throws {
        for update: TypedUpdate<Book.Fields> in [.set(\.title, to: nil), .set(\.author.name, to: "X")] {
            #expect(throws: ObjectError.self) { try context.updateAll(request(), [update]) }
        }
        let titles = try context.fetchValues(request(), \.title)
        #expect(titles == ["A", "B", "C", "D"])
    }
}

/// A class that was generated from a schema in which the title was a number.
private final class OldBook: ManagedObject, TypedObject {
    typealias Fields = OldFields
    override class var entityName: String { "Book" }
}

private struct OldFields: EntityFields {
    let path: String
    init(path: String) { self.path = path }
    var title: FieldPath<Int64> { attribute("title") }
}

extension TestLibrary {
    /// Fetches in a new context.
    fileprivate func read<Object>(_ request: FetchRequest<Object>) throws -> (ObjectContext, [Object]) {
        let context = context()
        return (context, try context.fetch(request))
    }
}
