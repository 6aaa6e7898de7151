import Objects
import RoostModel
import Testing

/// Objects sorted in memory have the order of a fetch.
@Suite struct ObjectOrderTests {
    private static let orders: [[FetchSortDescriptor]] = [
        [.ascending("title", .localized)], [.descending("title")], [.ascending("author.name", .localized)],
        [.ascending("author.name"), .descending("pages")], [.ascending("rating")], [.descending("rating")],
        [.ascending("author")], [.ascending("author.id"), .ascending("lent")], [.descending("id")], [],
        [.ascending("shelf.name", .localized), .ascending("extra", .localized)],
    ]

    @Test(arguments: orders.indices) func orderIsThatOfAFetch(_ index: Int) throws {
        let library = try TestLibrary()
        let context = library.context()
        let authors = try ["Zoé", "Éva", "eric", "Ana"].map { try context.make("Author", $0) }
        let shelf = try context.make("Shelf", "s")
        for (number, title) in ["b", "É", "e", "B", "a", "é"].enumerated() {
            let book = try context.make("Book", title, ["author": authors[number * 3 % 4]])
            try book.set("pages", to: .integer(Int64(number * 5 % 4)))
            if number % 2 == 0 { try book.set("rating", to: .double(Double(number * 7 % 5))) }
            try book.set("lent", to: .boolean(number % 3 == 0))
            if number % 3 == 1 { try book.set("shelf", to: shelf) }
        }
        let all = try context.fetch(FetchRequest<ManagedObject>("Book"))
        let sorted = try context.fetch(FetchRequest<ManagedObject>("Book", sortedBy: Self.orders[index]))
        #expect(try all.reversed().sorted(by: Self.orders[index]) == sorted)
    }

    @Test func pathsAreChecked() throws {
        let library = try TestLibrary()
        let context = library.context()
        let book = try context.make("Book", "A")
        #expect(throws: FetchPredicateError.self) { try [book].sorted(by: [.ascending("tittle")]) }
        #expect(throws: FetchPredicateError.self) { try [book].sorted(by: [.ascending("tags")]) }
        #expect(try [ManagedObject]().sorted(by: [.ascending("tittle")]).isEmpty)
    }

    @Test func objectsOfTwoEntitiesHaveNoOrder() throws {
        let library = try TestLibrary()
        let context = library.context()
        let objects = [try context.make("Book", "A"), try context.make("Author", "B")]
        let error = #expect(throws: ObjectError.self) { try objects.sorted(by: [.ascending("id")]) }
        #expect(error?.code == .invalidRequest)
    }
}
