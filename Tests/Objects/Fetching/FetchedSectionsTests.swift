import Objects
import Replica
import RoostModel
import Testing

@Suite struct FetchedSectionsTests {
    /// Makes five authors, two of them named Bob, and 20 books with increasing page numbers. The last book is unsaved and has
    /// no author.
    private func context() throws -> (TestLibrary, ObjectContext) {
        let library = try TestLibrary(classes: LibrarySchema.classes)
        let context = library.context()
        let authors = try ["Bob", "Zoé", "Éva", "Bob", "Eva"].map { name in
            let author = try context.insert(Author.self)
            author.name = name
            return author
        }
        try context.save()
        for index in 0..<20 {
            let book = try context.insert(Book.self)
            book.title = "book \(index)"
            book.pages = Int64(index)
            book.lent = index % 3 == 0
            if index < 19 { book.author = authors[index % 5] }
            if index % 2 == 0 { try context.save() }
        }
        return (library, context)
    }

    private func pages(_ section: FetchedSection<Book>) -> [Int64] { section.objects.map(\.pages) }

    @Test func sectionsComeInTheirOrderAndRowsInThatOfTheRequest() throws {
        let (library, context) = try context()
        defer { _ = library }
        let request = FetchRequest<Book>(sortedBy: [.descending(\.pages)])
        let sections = try context.fetchSections(
            request, by: \.author, sortedBy: [.ascending(\.author.name, .localized)])
        #expect(sections.map { $0.objects[0].author?.name } == [nil, "Bob", "Bob", "Eva", "Éva", "Zoé"])
        #expect(
            sections.map(pages) == [
                [19], [15, 10, 5, 0], [18, 13, 8, 3], [14, 9, 4], [17, 12, 7, 2], [16, 11, 6, 1],
            ])
        #expect(sections.first?.value == .null)
        #expect(
            sections.dropFirst().allSatisfy { section in
                section.objects.allSatisfy { .data($0.author?.objectID.record.bytes ?? []) == section.value }
            })
    }

    @Test func whatHasNoOrderComesInThatOfItsValues() throws {
        let (library, context) = try context()
        defer { _ = library }
        let request = FetchRequest<Book>(where: \.pages < 7, sortedBy: [.ascending(\.pages)])
        let sections = try context.fetchSections(request, by: \.lent)
        #expect(sections.map(\.value) == [.boolean(false), .boolean(true)])
        #expect(sections.map(pages) == [[1, 2, 4, 5], [0, 3, 6]])
    }

    @Test func aLimitCountsThroughAllSections() throws {
        let (library, context) = try context()
        defer { _ = library }
        var request = FetchRequest<Book>(sortedBy: [.ascending(\.pages)], limit: 3)
        request.offset = 12
        let sections = try context.fetchSections(request, by: \.lent, sortedBy: [.descending(\.lent)])
        #expect(sections.map(pages) == [[8, 10, 11]])
    }

    @Test func readingSectionsTakesOneQuery() throws {
        let (library, context) = try context()
        defer { _ = library }
        let before = context.readCount
        _ = try context.fetchSections(FetchRequest<Book>(sortedBy: [.ascending(\.pages)]), by: \.lent)
        #expect(context.readCount == before + 1)
    }

    @Test func aPathThatIsNotThereIsRefused() throws {
        let (library, context) = try context()
        defer { _ = library }
        #expect(throws: FetchPredicateError.self) { try context.fetchSections(FetchRequest<Book>(), by: "colour") }
        #expect(throws: FetchPredicateError.self) { try context.fetchSections(FetchRequest<Book>(), by: "notes") }
    }

    /// Sections are a fetch in an extended order, divided where the value changes. Each value has one section, and the sections
    /// have all rows.
    @Test(arguments: 0..<20) func sectionsAreAFetchThatIsCut(_ seed: UInt64) throws {
        let (library, context) = try context()
        defer { _ = library }
        var generator = SplitMix64(state: seed)
        let paths = ["author", "author.name", "lent", "pages", "title", "shelf"]
        let path = paths.randomElement(using: &generator) ?? "lent"
        let orders: [[FetchSortDescriptor]] = [
            [], [.ascending("author.name", .localized)], [.descending("lent"), .ascending("author.name")],
        ]
        let order = orders.randomElement(using: &generator) ?? []
        let rows: [FetchSortDescriptor] = Bool.random(using: &generator) ? [.descending("title")] : []
        let sections = try context.fetchSections(FetchRequest<Book>(sortedBy: rows), by: path, sortedBy: order)
        let flat = try context.fetch(FetchRequest<Book>(sortedBy: order + [.ascending(path)] + rows))
        #expect(sections.flatMap(\.objects) == flat)
        #expect(sections.allSatisfy { !$0.objects.isEmpty })
        let values = zip(sections, sections.dropFirst())
        #expect(values.allSatisfy { $0.value != $1.value })
        if order.isEmpty { #expect(Set(sections.map(\.value)).count == sections.count) }
    }
}
