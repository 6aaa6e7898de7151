import Foundation
import Replica
import RoostModel
import TestPlainSQL
import Testing

@testable import Objects

/// Two stores of one coordinator work like a single one.
@Suite struct SeveralStoresTests {
    /// Two replicas; a replica and records in memory; a document and a replica.
    enum Pair: CaseIterable { case replicas, withMemory, withDocument }

    /// A coordinator of two stores, and the libraries that own their files.
    private final class Stores {
        let one: TestLibrary
        let two: TestLibrary
        let coordinator: StoreCoordinator
        let context: ObjectContext
        var first: StoreID { coordinator.stores[0].id }
        var second: StoreID { coordinator.stores[1].id }

        init(_ pair: Pair) throws {
            (one, two) = (try TestLibrary(), try TestLibrary())
            let kinds: [StoreKind] =
                switch pair {
                case .replicas: [.replica(one.replica), .replica(two.replica)]
                case .withMemory: [.replica(one.replica), .inMemory(one.replica.schema)]
                case .withDocument:
                    [.document(at: one.path("a.xml"), one.replica.schema, .xml), .replica(two.replica)]
                }
            coordinator = try StoreCoordinator(kinds)
            context = ObjectContext(coordinator)
        }

        /// Makes an author with a book in each store, with equal names and equal identifiers.
        func fill() throws -> [(author: ManagedObject, book: ManagedObject)] {
            let filled = try [first, second].map { store in
                let author = try context.insert("Author", id: RecordID(derivedFrom: ["author"]), into: store)
                try author.set("name", to: .string("Ana"))
                let book = try context.insert("Book", id: RecordID(derivedFrom: ["book"]), into: store)
                try book.set("title", to: .string("A"))
                try book.set("author", to: author)
                return (author, book)
            }
            try context.save()
            return filled
        }
    }

    private static func books(
        _ format: String = "TRUEPREDICATE", by descriptors: [FetchSortDescriptor] = [], limit: Int? = nil
    ) throws -> FetchRequest<ManagedObject> {
        FetchRequest("Book", where: try FetchPredicate(format: format), sortedBy: descriptors, limit: limit)
    }

    // MARK: Separate stores

    /// Records with one identifier in two stores are two objects.
    @Test(arguments: Pair.allCases) func aDeleteStaysInItsStore(_ pair: Pair) throws {
        let stores = try Stores(pair)
        let (one, two) = (try stores.fill()[0], try stores.context.fetch(Self.books())[1])
        #expect(one.book.objectID.record == two.objectID.record && one.book != two)
        try stores.context.delete(one.author)
        #expect(one.book.isDeleted && !two.isDeleted)
        #expect(try stores.context.fetch(Self.books()) == [two])
        try stores.context.save()
        let other = ObjectContext(stores.coordinator)
        #expect(try other.fetchIDs(Self.books()) == [two.objectID])
        #expect(try other.liveness(of: one.book.objectID) == .hidden(because: one.author.objectID))
        #expect(try other.liveness(of: two.objectID) == .visible)
        try other.undelete("Author", id: one.author.objectID.record, in: stores.first)
        try other.save()
        #expect(try other.fetchIDs(Self.books()) == [one.book.objectID, two.objectID])
    }

    /// A limit applies to all stores together, in the request's order.
    @Test(arguments: Pair.allCases) func aBatchChangesWhatTheRequestGives(_ pair: Pair) throws {
        let stores = try Stores(pair)
        for number in 0..<8 {
            let book = try stores.context.make(
                "Book", "b\(number)", into: number % 3 == 0 ? stores.first : stores.second)
            try book.set("pages", to: .integer(Int64(number)))
        }
        try stores.context.save()
        var request = try Self.books("pages > 0", by: [.descending("pages")], limit: 3)
        request.offset = 1
        let wanted = try stores.context.fetch(request).map(\.label)
        #expect(wanted == ["b6", "b5", "b4"])
        #expect(try stores.context.updateAll(request, ["lent": .boolean(true)]) == 3)
        #expect(try stores.context.fetch(Self.books("lent == TRUE", by: [.descending("pages")])).map(\.label) == wanted)
        #expect(try stores.context.deleteAll(request) == 3)
        #expect(try stores.context.count(Self.books()) == 5)
        #expect(try stores.context.count(Self.books("lent == TRUE")) == 0)
        var ofOne = try Self.books()
        ofOne.stores = [stores.second]
        let count = try stores.context.count(ofOne)
        #expect(try stores.context.deleteAll(ofOne) == count)
        #expect(try stores.context.fetch(Self.books()).allSatisfy { $0.objectID.store == stores.first })
    }

    @Test(arguments: Pair.allCases) func sectionsGoThroughAllStores(_ pair: Pair) throws {
        let stores = try Stores(pair)
        for (number, name) in ["Zoé", "Éva", "Ana", "Éva"].enumerated() {
            let store = number % 2 == 0 ? stores.first : stores.second
            let author = try stores.context.make("Author", name, into: store)
            for pages in 0..<2 {
                let book = try stores.context.make("Book", "\(name)\(number)\(pages)", ["author": author], into: store)
                try book.set("pages", to: .integer(Int64(pages)))
            }
        }
        try stores.context.save()
        let request = try Self.books(by: [.descending("pages")])
        func titles(_ path: String, limit: Int? = nil) throws -> [[String]] {
            var limited = request
            limited.limit = limit
            return try stores.context.fetchSections(
                limited, by: path, sortedBy: [.ascending("author.name", .localized)]
            )
            .map { $0.objects.map(\.label) }
        }
        // Two authors with one name have two sections, each with its order.
        #expect(
            try titles("author") == [
                ["Ana21", "Ana20"], ["Éva11", "Éva10"], ["Éva31", "Éva30"], ["Zoé01", "Zoé00"],
            ])
        #expect(try titles("author.name").map(\.count) == [2, 4, 2])
        #expect(try titles("author", limit: 5) == [["Ana21", "Ana20"], ["Éva11", "Éva10"], ["Éva31"]])
    }

    // MARK: Saving and merging

    @Test(arguments: Pair.allCases) func conflictsAreSaidOfTheirStore(_ pair: Pair) throws {
        let stores = try Stores(pair)
        let books = try stores.fill().map(\.book)
        let other = ObjectContext(stores.coordinator)
        let theirs = try #require(try other.object(with: books[1].objectID))
        try theirs.set("title", to: .string("T"))
        try theirs.set("pages", to: .integer(7))
        try other.save()
        for book in books { try book.set("title", to: .string("M")) }
        let report = try stores.context.save()
        #expect(report.updated == Set(books.map(\.objectID)))
        #expect(report.conflicts == [.init(objectID: books[1].objectID, outcome: .keptMine(["title"]))])
        #expect(try books[1].value(of: "pages") == .integer(7))
        #expect(try other.refresh().changed == [theirs.objectID])
        #expect(theirs.label == "M")
    }

    /// Each store has its own transaction. The stores before the refusing one are saved.
    @Test(arguments: Pair.allCases) func whatIsRefusedIsRefusedInItsStore(_ pair: Pair) throws {
        let stores = try Stores(pair)
        let books = try stores.fill().map(\.book)
        let other = ObjectContext(stores.coordinator)
        try other.object(with: books[1].objectID)?.set("title", to: .string("T"))
        try other.save()
        stores.context.mergePolicy = .ask
        for book in books { try book.set("title", to: .string("M")) }
        let error = #expect(throws: ObjectError.self) { try stores.context.save() }
        #expect(error?.code == .conflict && error?.problems.count == 1)
        #expect(stores.context.updatedObjects == [books[1]])
        #expect(try ObjectContext(stores.coordinator).fetch(Self.books()).map(\.label) == ["M", "T"])
        try stores.context.refresh()
        try stores.context.save()
        #expect(try ObjectContext(stores.coordinator).fetch(Self.books()).map(\.label) == ["M", "M"])
    }

    @Test(arguments: Pair.allCases) func anUndoGoesThroughAllStores(_ pair: Pair) throws {
        let stores = try Stores(pair)
        let context = stores.context
        let filled = try stores.fill()
        context.undoHistory = UndoHistory()
        try context.group("all") {
            for (_, book) in filled { try book.set("title", to: .string("B")) }
            try context.delete(filled[1].author)
            try context.make("Shelf", "new", into: stores.second)
        }
        try context.save()
        let other = ObjectContext(stores.coordinator)
        try other.object(with: filled[0].book.objectID)?.set("title", to: .string("T"))
        try other.save()
        let left = UndoReport.LeftAlone(objectID: filled[0].book.objectID, reason: .changedSince(["title"]))
        #expect(try context.undo()?.leftAlone == [left])
        try context.save()
        let fresh = ObjectContext(stores.coordinator)
        #expect(try fresh.fetch(Self.books()).map(\.label) == ["T", "A"])
        #expect(try fresh.count(FetchRequest<ManagedObject>("Shelf")) == 0)
        #expect(try context.redo()?.leftAlone == [left])
        try context.save()
        #expect(try ObjectContext(stores.coordinator).fetch(Self.books()).map(\.label) == ["T"])
    }

    // MARK: One store given twice

    /// Each record would be two objects, so a file is refused under whichever name.
    @Test func aReplicaIsNotGivenTwice() throws {
        let library = try TestLibrary()
        let other = try TestLibrary()
        let path = library.replica.path
        let link = library.path("link.sqlite")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        let again = try Replica(opening: path)
        defer { try? again.close() }
        for kinds: [StoreKind] in [
            [.replica(library.replica), .replica(library.replica)],
            [.replica(library.replica), .replica(other.replica), .replica(again)],
        ] {
            let error = #expect(throws: ObjectError.self) { try StoreCoordinator(kinds) }
            #expect(error?.code == .invalidRequest)
            #expect(error?.message.contains("\"\(path)\"") == true)
        }
        #expect(StoreFile(link) == StoreFile(path))
        #expect(try StoreCoordinator(library.replica, other.replica).stores.count == 2)
    }

    @Test(arguments: [false, true]) func aDocumentIsNotGivenTwice(_ isSaved: Bool) throws {
        let library = try TestLibrary()
        let schema = library.replica.schema
        let (path, folder) = (library.path("a.xml"), library.path("folder"))
        try FileManager.default.createSymbolicLink(
            atPath: folder, withDestinationPath: (path as NSString).deletingLastPathComponent)
        if isSaved { try ObjectDocument(schema).save(as: path, .xml) }
        for name in [path, "\(folder)/a.xml"] {
            let error = #expect(throws: ObjectError.self) {
                try StoreCoordinator([.document(at: path, schema, .xml), .document(at: name, schema, .xml)])
            }
            #expect(error?.code == .invalidRequest)
        }
        let pair: [StoreKind] = [.document(at: path, schema, .xml), .document(at: library.path("b.xml"), schema, .xml)]
        #expect(try StoreCoordinator(pair).stores.count == 2)
        #expect(try StoreCoordinator([.inMemory(schema), .inMemory(schema)]).stores.count == 2)
    }

    /// A request may name a store several times, and has each object once.
    @Test(arguments: Pair.allCases) func aRequestNamesAStoreOnce(_ pair: Pair) throws {
        let stores = try Stores(pair)
        _ = try stores.fill()
        var request = try Self.books()
        request.stores = [stores.second, stores.first, stores.second]
        #expect(try stores.context.fetch(request).count == 2)
        #expect(try stores.context.count(request) == 2)
        #expect(try stores.context.fetchGroups(request, .count()).first?.aggregates == [.integer(2)])
    }

    // MARK: Live results

    @Test func othersWritesToEachStoreAreDelivered() async throws {
        let stores = try Stores(.replicas)
        let filled = try stores.fill()
        let request = try Self.books(by: [.ascending("author.name"), .ascending("title")])
        let list = try FetchedResultsController(request, in: stores.context, sectionedBy: "author.name")
        var steps = try list.updates().makeAsyncIterator()
        try PlainSQL(stores.two.replica.path).execute("UPDATE book SET title = 'B'")
        var step = try #require(try await steps.next())
        #expect(step.origins == [.otherProgram])
        #expect(step.difference.rowUpdates.map(\.id) == [filled[1].book.objectID])
        #expect(filled.map(\.book.label) == ["A", "B"])
        try stores.one.deleteElsewhere(filled[0].author.objectID)
        step = try #require(try await steps.next())
        #expect(step.origins == [.synchronisation])
        #expect(step.difference.rowDeletes.map(\.id) == [filled[0].book.objectID])
        #expect(step.snapshot.sections.map(\.rows) == [[filled[1].book.objectID]])
    }

    /// Random edits in both stores. The steps add up to the result of a fetch, and an undo of all edits restores the beginning.
    @Test(arguments: 0..<6) func stepsAndUndosAddUp(_ seed: UInt64) throws {
        let stores = try Stores(Pair.allCases[Int(seed) % 3])
        let context = stores.context
        var plays = [stores.first, stores.second].enumerated().map { index, store in
            RandomEdits(seed: seed &* 2 &+ UInt64(index), context, in: store)
        }
        for index in plays.indices { try plays[index].fill() }
        try context.save()
        context.undoHistory = UndoHistory()
        let byAuthor: [FetchSortDescriptor] = [.ascending("author.name", .localized), .ascending("pages")]
        let lists = [
            try FetchedResultsController(try Self.books(by: byAuthor), in: context, sectionedBy: "author.name"),
            try FetchedResultsController(try Self.books("pages < 6 OR shelf != nil", by: byAuthor), in: context),
            try FetchedResultsController(try Self.books(by: [.descending("pages")], limit: 5), in: context),
        ]
        var copies: [ResultsSnapshot<ObjectID>] = []
        for (index, list) in lists.enumerated() {
            try list.performFetch()
            copies.append(list.snapshot)
            list.onUpdate = { step in
                if let next = try? step.difference.applied(to: copies[index]) { copies[index] = next }
            }
        }
        let all = RandomEdits(seed: seed, context)
        let beginning = try all.contents()
        func check(_ place: String) throws {
            for (copy, list) in zip(copies, lists) {
                let fresh = try FetchedResultsController(list.request, in: context, sectionedBy: list.sectionPath)
                try fresh.performFetch()
                #expect(copy == fresh.snapshot, "\(place)")
            }
        }
        for step in 0..<6 {
            try context.group("step") { for index in plays.indices { try plays[index].edit() } }
            if step % 2 == 0 { try context.save() }
            try check("step \(step)")
        }
        while let report = try context.undo() {
            #expect(report.leftAlone == [])
            try context.save()
            try check("undone")
        }
        #expect(try all.contents() == beginning)
        #expect(try RandomEdits(seed: 0, ObjectContext(stores.coordinator)).contents() == beginning)
    }
}
