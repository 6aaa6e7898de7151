import Replica
import RoostModel
import TestPlainSQL
import Testing

@testable import Objects

/// The rows of a live list, their order and their objects are of one state, with any writer and any kind of observer.
@Suite struct ConsistentListTests {
    private typealias List = FetchedResultsController<ManagedObject>

    enum Writer: CaseIterable {
        case otherContext, otherProgram

        var origin: ChangeOrigin { self == .otherContext ? .otherContext : .otherProgram }

        /// Sets the number of pages of a book.
        func set(_ pages: Int, of title: String, in library: TestLibrary) throws {
            switch self {
            case .otherContext:
                let context = library.context()
                let request = FetchRequest<ManagedObject>(
                    "Book", where: try FetchPredicate(format: "title == %@", title))
                try context.fetch(request)[0].set("pages", to: .integer(Int64(pages)))
                try context.save()
            case .otherProgram:
                try PlainSQL(library.replica.path).execute("UPDATE book SET pages = \(pages) WHERE title = '\(title)'")
            }
        }
    }

    /// The ways to read the rows of a list.
    enum Route: CaseIterable {
        case oneByOne, together, bySnapshot

        func pages(_ list: FetchedResultsController<ManagedObject>) throws -> [Value] {
            let rows = 0..<list.sections.reduce(0) { $0 + $1.rowCount }
            let objects: [ManagedObject] =
                switch self {
                case .oneByOne: try rows.compactMap { try list.object(at: ResultsIndexPath(section: 0, row: $0)) }
                case .together: try list.objects(inSection: 0, rows: rows)
                case .bySnapshot: try list.context.objects(with: list.snapshot.sections.flatMap(\.rows))
                }
            return try objects.map { try $0.value(of: "pages") }
        }
    }

    private static let byPages: FetchRequest<ManagedObject> = {
        var request = FetchRequest<ManagedObject>("Book", sortedBy: [.ascending("pages")])
        request.batchSize = 2
        return request
    }()

    /// Makes the books A to F with 1 to 6 pages.
    private static func library() throws -> TestLibrary {
        let library = try TestLibrary()
        let context = library.context()
        for (number, title) in ["A", "B", "C", "D", "E", "F"].enumerated() {
            try context.make("Book", title).set("pages", to: .integer(Int64(number + 1)))
        }
        try context.save()
        return library
    }

    private static func list(in context: ObjectContext) throws -> List {
        let list = try List(byPages, in: context)
        try list.performFetch()
        return list
    }

    private static func values(_ pages: Int...) -> [Value] { pages.map { .integer(Int64($0)) } }

    // MARK: Lists that are only read

    /// Some rows are read, others are not, when somebody else writes.
    @Test(arguments: Writer.allCases, Route.allCases) func aListThatIsOnlyReadIsCurrent(
        _ writer: Writer, _ route: Route
    ) throws {
        let library = try Self.library()
        let list = try Self.list(in: library.context())
        let held = try #require(try list.object(at: ResultsIndexPath(section: 0, row: 0)))
        for (title, pages) in [("B", 1000), ("F", 0), ("A", 150)] {
            try writer.set(pages, of: title, in: library)
            _ = try route.pages(list)
        }
        #expect(try route.pages(list) == Self.values(0, 3, 4, 5, 150, 1000))
        #expect(try held.value(of: "pages") == .integer(150))
        #expect(list.context.failure == nil)
    }

    /// A fetch by the program gives objects of a listed batch newer values.
    @Test(arguments: Writer.allCases) func aFetchByTheProgramDoesNotMixStates(_ writer: Writer) throws {
        let library = try Self.library()
        let list = try Self.list(in: library.context())
        let path = ResultsIndexPath(section: 0, row: 0)
        #expect(try list.object(at: path)?.label == "A")
        try writer.set(1000, of: "A", in: library)
        _ = try list.context.fetch(Self.byPages)
        #expect(try list.object(at: path)?.label == "B")
    }

    /// The context has older objects when its list is fetched first, and when it is fetched again.
    @Test(arguments: Writer.allCases) func aFetchOfTheListRefreshesItsObjects(_ writer: Writer) throws {
        let library = try Self.library()
        let context = library.context()
        let books = try context.fetch(Self.byPages)
        try writer.set(1000, of: "A", in: library)
        let list = try Self.list(in: context)
        #expect(list.snapshot.sections[0].rows.last == books[0].objectID)
        #expect(try books[0].value(of: "pages") == .integer(1000))
        try writer.set(0, of: "B", in: library)
        try list.performFetch()
        #expect(list.snapshot.sections[0].rows.first == books[1].objectID)
        #expect(try books[1].value(of: "pages") == .integer(0))
    }

    /// Sections that are read without their rows are brought up to date without them.
    @Test func sectionsAndTheirRowsAgree() throws {
        let library = try TestLibrary()
        let writer = library.context()
        for (number, name) in ["Ana", "Bob"].enumerated() {
            let author = try writer.make("Author", name)
            for title in 0...number { try writer.make("Book", "\(name) \(title)", ["author": author]) }
        }
        try writer.save()
        let context = library.context()
        let list = try List(
            FetchRequest("Book", sortedBy: [.ascending("author.name"), .ascending("title")]), in: context,
            sectionedBy: "author.name")
        try list.performFetch()
        #expect(list.sections.map(\.name) == ["Ana", "Bob"])
        let other = library.context()
        let authors = try other.fetch(FetchRequest<ManagedObject>("Author", sortedBy: [.ascending("name")]))
        try authors[0].set("name", to: .string("Cem"))
        try other.save()
        #expect(list.sections.map(\.name) == ["Bob", "Cem"])
        #expect(try list.objects(inSection: 1, rows: 0..<9).map { try $0.object("author")?.label } == ["Cem"])
        try PlainSQL(library.replica.path).execute("DELETE FROM book WHERE title = 'Bob 0'")
        #expect(try list.object(at: ResultsIndexPath(section: 0, row: 0))?.label == "Bob 1")
        #expect(list.sections.map(\.rowCount) == [1, 1])
        try library.deleteElsewhere(authors[1].objectID)
        #expect(list.snapshot.sections.map(\.name) == ["Cem"])
    }

    /// A list of a child context shows unsaved edits of the parent.
    @Test(arguments: Route.allCases) func aListOfAChildFollowsItsParent(_ route: Route) throws {
        let library = try Self.library()
        let parent = library.context()
        let list = try Self.list(in: ObjectContext(childOf: parent))
        let books = try parent.fetch(Self.byPages)
        try books[0].set("pages", to: .integer(1000))
        #expect(try route.pages(list) == Self.values(2, 3, 4, 5, 6, 1000))
        parent.rollback()
        #expect(try route.pages(list) == Self.values(1, 2, 3, 4, 5, 6))
        try Writer.otherContext.set(0, of: "F", in: library)
        #expect(try route.pages(list).first == .integer(0))
    }

    @Test(arguments: Route.allCases) func aListInMemoryIsCurrentToo(_ route: Route) throws {
        let coordinator = try StoreCoordinator([.inMemory(try Schema(json: LibrarySchema.text))])
        let (context, other) = (ObjectContext(coordinator), ObjectContext(coordinator))
        for pages in [3, 1, 2] { try context.make("Book", "\(pages)").set("pages", to: .integer(Int64(pages))) }
        try context.save()
        let list = try Self.list(in: context)
        try other.fetch(Self.byPages)[0].set("pages", to: .integer(9))
        try other.save()
        #expect(try route.pages(list) == Self.values(2, 3, 9))
    }

    /// An unsaved edit stays, and the list shows it among what others have saved.
    @Test func unsavedEditsStay() throws {
        let library = try Self.library()
        let list = try Self.list(in: library.context())
        try #require(try list.object(at: ResultsIndexPath(section: 0, row: 0))).set("pages", to: .integer(150))
        try Writer.otherContext.set(1000, of: "B", in: library)
        #expect(try Route.oneByOne.pages(list) == Self.values(3, 4, 5, 6, 150, 1000))
        try list.context.save()
        #expect(try library.count("book", "pages >= 150") == 2)
    }

    // MARK: Lists with an observer

    /// Without an actor, an access to a list delivers the changes of others to its observer.
    @Test(arguments: Writer.allCases) func anAccessDeliversWithoutAnActor(_ writer: Writer) throws {
        let library = try Self.library()
        let list = try Self.list(in: library.context())
        var steps: [ResultsUpdate<ObjectID>] = []
        list.onUpdate = { step in
            steps.append(step)
            // An access within a step delivers nothing else.
            #expect(list.snapshot == step.snapshot)
        }
        let before = list.snapshot
        try writer.set(1000, of: "A", in: library)
        let after = list.snapshot
        #expect(steps.map(\.origins) == [[writer.origin]])
        #expect(try steps.first?.difference.applied(to: before) == after)
        try writer.set(0, of: "A", in: library)
        #expect(try list.update()?.origins == [writer.origin])
        #expect(try list.update() == nil)
        #expect(steps.count == 2)
        list.onUpdate = nil
    }

    /// A list that is fetched on an actor follows others by itself.
    @Test(.timeLimit(.minutes(1)), arguments: Writer.allCases) @MainActor func aListOnAnActorFollows(
        _ writer: Writer
    ) async throws {
        let library = try Self.library()
        let context = library.context()
        let list = try List(Self.byPages, in: context)
        let (steps, continuation) = AsyncStream.makeStream(of: ResultsUpdate<ObjectID>.self)
        list.onUpdate = { continuation.yield($0) }
        try list.performFetch()
        let book = try #require(try list.object(at: ResultsIndexPath(section: 0, row: 0)))
        try writer.set(1000, of: "A", in: library)
        var observed = steps.makeAsyncIterator()
        #expect(await observed.next()?.origins == [writer.origin])
        #expect(try book.value(of: "pages") == .integer(1000))
        try library.deleteElsewhere(book.objectID)
        #expect(await observed.next()?.origins == [.synchronisation])
        #expect(book.isDeleted && context.failure == nil)
    }

    /// Without a turn of the actor, a list that nobody observes is current all the same.
    @Test(arguments: Writer.allCases, Route.allCases) @MainActor func anActorThatIsNotLeftIsNoObstacle(
        _ writer: Writer, _ route: Route
    ) throws {
        let library = try Self.library()
        let list = try List(Self.byPages, in: library.context())
        try list.performFetch()
        try writer.set(1000, of: "A", in: library)
        #expect(try route.pages(list) == Self.values(2, 3, 4, 5, 6, 1000))
    }

    // MARK: The end

    @Test func nothingIsRecordedForAListThatEnded() throws {
        let library = try Self.library()
        let context = library.context()
        for _ in 0..<2 {
            do {
                let list = try Self.list(in: context)
                #expect(library.coordinator.hub.isListenedTo)
                withExtendedLifetime(list) {}
            }
            #expect(!library.coordinator.hub.isListenedTo)
        }
    }

    @Test(.timeLimit(.minutes(1))) @MainActor func followingEndsWithTheLastList() async throws {
        let library = try Self.library()
        weak var ended: ObjectContext?
        do {
            let context = library.context()
            ended = context
            for _ in 0..<2 {
                let list = try List(Self.byPages, in: context)
                try list.performFetch()
                #expect(context.following != nil)
                withExtendedLifetime(list) {}
            }
            #expect(context.following == nil && context.checks == nil)
            let list = try List(Self.byPages, in: context)
            try list.performFetch()
            #expect(context.following != nil)
            withExtendedLifetime(list) {}
        }
        #expect(ended == nil)
        while library.coordinator.hub.isListenedTo { await Task.yield() }
    }

    // MARK: All writers

    /// After any writes, a list that is only read equals a list of a new context, and so do its objects.
    @Test(arguments: 0..<6) func allWritersAddUp(_ seed: Int) throws {
        var writers = try ManyWriters(seed: seed)
        let context = writers.context
        let kinds = ResultsUpdatesPropertyTests.lists
        let lists = try kinds.map { kind -> List in
            let list = try List(try kind.request(), in: context, sectionedBy: kind.section)
            try list.performFetch()
            return list
        }
        func content(_ id: ObjectID, _ context: ObjectContext) throws -> [Value] {
            guard let object = try context.object(with: id) else { return [] }
            return try object.entity.attributes.map { try object.value(of: $0.name) }
        }
        for step in 0..<12 {
            let authors = try (0...writers.below(3)).map { _ in try writers.write() }
            for (kind, list) in zip(kinds, lists) {
                let other = writers.library.context()
                let fresh = try List(try kind.request(), in: other, sectionedBy: kind.section)
                try fresh.performFetch()
                let place = "seed \(seed), step \(step) by \(authors): \(kind.testDescription)"
                #expect(list.sections.map(\.rowCount) == fresh.sections.map(\.rowCount), "\(place)")
                #expect(list.snapshot == fresh.snapshot, "\(place)")
                for id in fresh.snapshot.sections.flatMap(\.rows) {
                    #expect(try content(id, context) == content(id, other), "\(place)")
                }
            }
        }
        #expect(context.failure == nil)
    }
}
