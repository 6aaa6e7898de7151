import Objects
import Replica
import RoostModel
import Testing

/// Every layer of objects compares texts by their bytes: é as one scalar (NFC) and as two (NFD) are different contents.
@Suite struct UnicodeFormTests {
    private static let composed = "Zo\u{E9}"
    private static let decomposed = "Zoe\u{301}"

    /// Returns the bytes of a text, to compare without Unicode's equivalence.
    private func bytes(_ text: String?) -> [UInt8]? { text.map { Array($0.utf8) } }

    private func book(_ title: String) throws -> (TestLibrary, ObjectContext, ManagedObject) {
        let library = try TestLibrary()
        let context = library.context()
        let book = try context.make("Book", title, ["author": context.make("Author", "Ana")])
        try context.save()
        return (library, context, book)
    }

    private func stored(_ library: TestLibrary) throws -> Value {
        try library.replica.select("SELECT hex(title) FROM book")[0][0]
    }

    private static let composedHex = Value.string("5A6FC3A9")
    private static let decomposedHex = Value.string("5A6F65CC81")

    @Test func anAssignmentOfTheOtherFormIsAnEdit() throws {
        let (library, context, book) = try book(Self.decomposed)
        try book.set("title", to: .string(Self.composed))
        #expect(book.isUpdated)
        #expect(bytes(book.changedValues["title"].flatMap { String(attribute: $0) }) == bytes(Self.composed))
        let report = try context.save()
        #expect(report.updated == [book.objectID])
        #expect(try stored(library) == Self.composedHex)
    }

    @Test func anUpdateOfManyCountsTheOtherForm() throws {
        let (library, context, book) = try book(Self.decomposed)
        let all = FetchRequest<ManagedObject>("Book")
        #expect(try context.updateAll(all, ["title": .string(Self.composed)]) == 1)
        #expect(try stored(library) == Self.composedHex)
        #expect(bytes(book.label) == bytes(Self.composed))
        #expect(try context.updateAll(all, ["title": .string(Self.composed)]) == 0)
    }

    @Test func aRefreshTakesTheOtherForm() throws {
        let (library, context, book) = try book(Self.decomposed)
        try library.replica.write("rename") {
            try $0.put("Book", id: book.objectID.record, ["title": .string(Self.composed)])
        }
        #expect(try context.refresh().changed == [book.objectID])
        #expect(bytes(book.label) == bytes(Self.composed))
    }

    @Test func aMergeSeesThatTheOtherSideWroteTheOtherForm() throws {
        let (library, context, book) = try book(Self.decomposed)
        context.mergePolicy = .ask
        try library.replica.write("rename") {
            try $0.put("Book", id: book.objectID.record, ["title": .string(Self.composed)])
        }
        try book.set("title", to: .string("mine"))
        #expect(throws: ObjectError.self) { try context.save() }
        context.mergePolicy = .takeTheirs
        try context.save()
        #expect(try stored(library) == Self.composedHex)
    }

    @Test func anUndoBringsTheOtherFormBack() throws {
        let (library, context, book) = try book(Self.decomposed)
        context.undoHistory = UndoHistory()
        try context.group("compose") { try book.set("title", to: .string(Self.composed)) }
        try context.save()
        let report = try #require(try context.undo())
        #expect(report.changed == [book.objectID])
        try context.save()
        #expect(try stored(library) == Self.decomposedHex)
    }

    @Test func anUndoLeavesTheOtherFormThatSomebodyWroteSince() throws {
        let (library, context, book) = try book("old")
        context.undoHistory = UndoHistory()
        try context.group("rename") { try book.set("title", to: .string(Self.decomposed)) }
        try context.save()
        try library.replica.write("compose") {
            try $0.put("Book", id: book.objectID.record, ["title": .string(Self.composed)])
        }
        let report = try #require(try context.undo())
        #expect(report.leftAlone.map(\.objectID) == [book.objectID])
        #expect(try stored(library) == Self.composedHex)
    }

    @Test func liveResultsReportTheOtherForm() throws {
        let (library, context, book) = try book(Self.decomposed)
        defer { _ = library }
        let controller = try FetchedResultsController<ManagedObject>(
            FetchRequest("Book", sortedBy: [.ascending("pages")]), in: context)
        try controller.performFetch()
        var steps: [ResultsUpdate<ObjectID>] = []
        controller.onUpdate = { steps.append($0) }
        try book.set("title", to: .string(Self.composed))
        try context.save()
        #expect(steps.map { $0.difference.rowUpdates.map(\.id) } == [[book.objectID]])
    }

    // MARK: Sections

    /// Makes a library of books with these titles.
    private func books(_ titles: [String]) throws -> (TestLibrary, ObjectContext) {
        let library = try TestLibrary()
        let context = library.context()
        let author = try context.make("Author", "Ana")
        for title in titles { try context.make("Book", title, ["author": author]) }
        try context.save()
        return (library, context)
    }

    @Test(arguments: [FetchSortDescriptor.TextOrder.exact, .localized])
    func eachFormIsASectionOfItsOwn(_ order: FetchSortDescriptor.TextOrder) throws {
        let (library, context) = try books([Self.composed, Self.decomposed, "Zof", Self.composed, Self.decomposed])
        defer { _ = library }
        let controller = try FetchedResultsController<ManagedObject>(
            FetchRequest("Book", sortedBy: [.ascending("title", order)]), in: context, sectionedBy: "title")
        try controller.performFetch()
        let sections = controller.snapshot.sections
        #expect(Set(sections.map { bytes($0.name) }) == Set([Self.composed, Self.decomposed, "Zof"].map(bytes)))
        #expect(sections.map(\.rows.count).sorted() == [1, 2, 2])
    }

    @Test func aRowMovesToTheSectionOfTheOtherForm() throws {
        let (library, context) = try books([Self.composed, Self.composed, Self.decomposed])
        defer { _ = library }
        let request = FetchRequest<ManagedObject>("Book", sortedBy: [.ascending("title")])
        let controller = try FetchedResultsController<ManagedObject>(request, in: context, sectionedBy: "title")
        try controller.performFetch()
        var steps: [ResultsUpdate<ObjectID>] = []
        controller.onUpdate = { steps.append($0) }
        let composed = try #require(try context.fetch(request).last)
        try composed.set("title", to: .string(Self.decomposed))
        try context.save()
        #expect(steps.flatMap { $0.difference.rowMoves.map(\.id) } == [composed.objectID])
        let names = controller.snapshot.sections.map { bytes($0.name) }
        #expect(names == [bytes(Self.decomposed), bytes(Self.composed)])
        #expect(controller.snapshot.sections.map(\.rows.count) == [2, 1])
    }

    @Test func sectionsOfAnotherRecordsNameAreCountedByForm() throws {
        let library = try TestLibrary()
        let context = library.context()
        for name in [Self.composed, Self.decomposed, "Zof"] {
            let author = try context.make("Author", name)
            try context.make("Book", "by \(name.utf8.count)", ["author": author])
        }
        try context.save()
        let controller = try FetchedResultsController<ManagedObject>(
            FetchRequest("Book", sortedBy: [.ascending("author.name"), .ascending("title")]), in: context,
            sectionedBy: "author.name")
        try controller.performFetch()
        #expect(
            controller.snapshot.sections.map { bytes($0.name) } == [Self.decomposed, "Zof", Self.composed].map(bytes))
    }

    @Test func sectionsThatAreShownOnceAreOfOneFormEach() throws {
        let (library, context) = try books([Self.composed, Self.decomposed])
        defer { _ = library }
        let sections = try context.fetchSections(FetchRequest<ManagedObject>("Book"), by: "title")
        #expect(sections.map(\.objects.count) == [1, 1])
    }

    // MARK: Predicates

    @Test(arguments: [
        ("title == %@", 1), ("title IN { %@, %@ }", 1), ("title BEGINSWITH %@", 1), ("title ==[cd] %@", 2),
        ("title LIKE %@", 2),
    ])
    func equalityMeansBytesUnlessOptionsFold(_ format: String, _ count: Int) throws {
        let (library, context) = try books([Self.composed, Self.decomposed])
        defer { _ = library }
        for text in [Self.composed, Self.decomposed] {
            let arguments = Array(
                repeating: text, count: format.split(separator: "%@", omittingEmptySubsequences: false).count - 1)
            let predicate = try FetchPredicate(format: format, arguments: arguments)
            #expect(try context.count(FetchRequest<ManagedObject>("Book", where: predicate)) == count)
        }
    }

    @Test func predicatesOfTheOtherFormAreOthers() throws {
        let composed = try FetchPredicate(format: "title == %@", Self.composed)
        let decomposed = try FetchPredicate(format: "title == %@", Self.decomposed)
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
    }

    @Test func aQueryThatSaysTheOtherFormIsAnotherStatement() throws {
        let (library, _) = try books([Self.composed])
        for (text, count) in [(Self.composed, 1), (Self.decomposed, 0), (Self.composed, 1)] {
            #expect(try library.replica.select("SELECT 1 FROM book WHERE title = '\(text)'").count == count)
        }
    }
}
