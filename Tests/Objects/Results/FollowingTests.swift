import Objects
import Replica
import RoostModel
import TestPlainSQL
import Testing

/// Changes of other writers, delivered to callbacks without an iteration, and rows that are accessed one by one.
@Suite struct FollowingTests {
    private typealias Controller = FetchedResultsController<ManagedObject>
    private typealias Step = ResultsUpdate<ObjectID>

    private func books(_ titles: [String], in context: ObjectContext) throws {
        for title in titles { try context.make("Book", title) }
        try context.save()
    }

    private func list(_ context: ObjectContext) throws -> Controller {
        let list = try Controller(FetchRequest("Book", sortedBy: [.ascending("title")]), in: context)
        try list.performFetch()
        return list
    }

    @Test func whatARefreshTakesInIsOthersAndWithWhatIsNew() throws {
        let library = try TestLibrary()
        let context = library.context()
        try books(["A"], in: context)
        let list = try list(context)
        var steps: [Step] = []
        list.onUpdate = { steps.append($0) }
        try PlainSQL(library.replica.path).execute("INSERT INTO book(title) VALUES ('B')")
        try context.refresh()
        context.deliverChanges()
        #expect(steps.map(\.snapshot.rowCount) == [2])
        #expect(steps.first?.origins == [.otherProgram])
        try context.make("Book", "C")
        try context.save()
        #expect(steps.map(\.origins).last == [.thisContext])
        #expect(steps.map(\.snapshot.rowCount) == [2, 3])
    }

    /// The model of a view is in one isolation domain, and nothing iterates over the steps.
    @Test @MainActor func aCallbackHearsOfEverybody() async throws {
        let library = try TestLibrary()
        let context = library.context()
        try books(["A", "B"], in: context)
        let lists = try [list(context), list(context)]
        let (steps, continuation) = AsyncStream.makeStream(of: Step.self)
        lists[1].onUpdate = { continuation.yield($0) }
        let following = Task { @MainActor in try await context.followChanges() }
        var heard = steps.makeAsyncIterator()
        let other = library.context()
        // The task follows changes from its first turn on.
        await Task.yield()
        try other.make("Book", "C")
        try other.save()
        #expect(await heard.next()?.origins == [.otherContext])
        try PlainSQL(library.replica.path).execute("UPDATE book SET title = 'D' WHERE title = 'C'")
        #expect(await heard.next()?.origins == [.otherProgram])
        let first = try #require(try lists[1].object(at: ResultsIndexPath(section: 0, row: 0)))
        try library.deleteElsewhere(first.objectID)
        #expect(await heard.next()?.origins == [.synchronisation])
        #expect(first.isDeleted)
        #expect(lists.map(\.snapshot.rowCount) == [2, 2])
        following.cancel()
        try await following.value
    }

    /// With the policy `ask`, a save reports conflicts even with changes that the context has already followed.
    @Test @MainActor func whatIsFollowedIsAskedAboutAllTheSame() async throws {
        let library = try TestLibrary()
        let context = library.context()
        context.mergePolicy = .ask
        let author = try context.make("Author", "Ana")
        let book = try context.make("Book", "A", ["author": author])
        try context.save()
        #expect(try author.objects("books").count == 1)
        let following = Task { @MainActor in try await context.followChanges() }
        await Task.yield()
        try book.set("title", to: .string("mine"))
        let other = library.context()
        try other.object(with: book.objectID)?.set("title", to: .string("theirs"))
        try other.make("Book", "B", ["author": #require(try other.object(with: author.objectID))])
        try other.save()
        while try author.objects("books").count < 2 { await Task.yield() }
        #expect(book.label == "mine")
        #expect(throws: ObjectError.self) { try context.save() }
        try context.refresh([book])
        try context.save()
        #expect(try library.count("book", "title = 'mine'") == 1)
        following.cancel()
        try await following.value
    }

    @Test func stepsAreKeptOnlyForWhoTakesThem() async throws {
        let library = try TestLibrary()
        let context = library.context()
        try books(["A"], in: context)
        let list = try list(context)
        do {
            var steps = try list.updates().makeAsyncIterator()
            try books(["B"], in: context)
            #expect(try await steps.next()?.snapshot.rowCount == 2)
        }
        try books(["C"], in: context)
        var steps = try list.updates().makeAsyncIterator()
        try books(["D"], in: context)
        #expect(try await steps.next()?.snapshot.rowCount == 4)
    }

    @Test(arguments: [nil, "author.name"]) func rowsThatAreAskedForOneByOneAreReadTogether(_ section: String?) throws {
        let library = try TestLibrary()
        let context = library.context()
        for name in ["Ana", "Bob"] {
            let author = try context.make("Author", name)
            for number in 0..<60 { try context.make("Book", "\(name) \(number)", ["author": author]) }
        }
        try context.save()
        let reader = library.context()
        var request = FetchRequest<ManagedObject>("Book", sortedBy: [.ascending("author.name"), .ascending("title")])
        request.batchSize = 20
        let list = try Controller(request, in: reader, sectionedBy: section)
        try list.performFetch()
        let reads = reader.readCount
        var labels: [String] = []
        for (section, info) in list.sections.enumerated() {
            for row in 0..<info.rowCount {
                let book = try #require(try list.object(at: ResultsIndexPath(section: section, row: row)))
                labels.append("\(try book.object("author")?.label ?? ""): \(book.label)")
            }
        }
        #expect(labels == labels.sorted())
        #expect(labels.count == 120)
        // Six batches of books, each with a read of their authors.
        #expect(reader.readCount - reads <= 12)
    }
}

/// Changes that are pulled in several pages.
@Suite struct PulledPagesTests {
    private func page(_ numbers: Range<Int>, of library: TestLibrary) throws -> [RecordState] {
        let context = library.context()
        let entity = try context.insert("Tag").objectID.entity
        return numbers.map { number in
            let name = ContentCoding.encode([.init(property: PropertyID(1), value: .string("t\(number)"))])
            let stamp = HybridTimestamp(milliseconds: 1_700_000_000_000, counter: 0, replica: ReplicaID(rawValue: 7))
            return RecordState(
                key: RecordKey(entity: entity, id: RecordID(high: 7, low: UInt64(number))),
                put: .init(stamp: stamp, base: nil, encoded: Put(content: name).encoded()))
        }
    }

    private func steps(_ library: TestLibrary) throws -> ResultsUpdates<ManagedObject>.Iterator {
        let list = try FetchedResultsController(
            FetchRequest<ManagedObject>("Tag", sortedBy: [.ascending("name")]), in: library.context())
        return try list.updates().makeAsyncIterator()
    }

    @Test func tenThousandRecordsOfTwoPagesAreOneStep() async throws {
        let library = try TestLibrary()
        let pages = try [page(0..<6000, of: library), page(6000..<10_000, of: library)]
        var steps = try steps(library)
        library.coordinator.pagesWait = .seconds(600)
        _ = try library.replica.apply(pages[0], checkpoint: [1], serverTime: nil, isLast: false)
        // Waits until the coordinator has noticed the first page.
        while !library.coordinator.isWaitingForPages { await Task.yield() }
        _ = try library.replica.apply(pages[1], checkpoint: [2], serverTime: nil, isLast: true)
        let step = try #require(try await steps.next())
        #expect(step.difference.rowInserts.count == 10_000)
        #expect(step.origins == [.synchronisation])
    }

    @Test func aPageThatNoneFollowsIsShownAllTheSame() async throws {
        let library = try TestLibrary()
        let page = try page(0..<10, of: library)
        var steps = try steps(library)
        _ = try library.replica.apply(page, checkpoint: [1], serverTime: nil, isLast: false)
        #expect(try await steps.next()?.difference.rowInserts.count == 10)
    }
}
