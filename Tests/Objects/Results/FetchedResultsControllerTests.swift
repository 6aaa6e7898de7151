import Foundation
import Objects
import Replica
import RoostModel
import TestPlainSQL
import Testing

@Suite struct FetchedResultsControllerTests {
    private typealias Controller = FetchedResultsController<ManagedObject>

    private static func books(_ format: String? = nil) throws -> FetchRequest<ManagedObject> {
        FetchRequest(
            "Book", where: try format.map { try FetchPredicate(format: $0) },
            sortedBy: [.ascending("author.name", .localized), .ascending("pages")])
    }

    private static func titles(_ controller: Controller) throws -> [String: [String]] {
        var titles: [String: [String]] = [:]
        for section in controller.snapshot.sections {
            titles[section.name ?? ""] = try controller.context.objects(with: section.rows).map(\.label)
        }
        return titles
    }

    /// Makes books A and C of Ana, and B of Bob.
    private func filled() throws -> (TestLibrary, ObjectContext, [String: ManagedObject]) {
        let library = try TestLibrary()
        let context = library.context()
        var named: [String: ManagedObject] = [:]
        for name in ["Ana", "Bob"] { named[name] = try context.make("Author", name) }
        for (pages, (title, author)) in [("A", "Ana"), ("B", "Bob"), ("C", "Ana")].enumerated() {
            let book = try context.make("Book", title, ["author": try #require(named[author])])
            try book.set("pages", to: .integer(Int64(pages)))
            named[title] = book
        }
        try context.save()
        return (library, context, named)
    }

    @Test func sectionsFollowTheFirstSortDescriptor() throws {
        let (library, context, _) = try filled()
        defer { _ = library }
        let controller = try Controller(try Self.books(), in: context, sectionedBy: "author.name")
        try controller.performFetch()
        #expect(controller.snapshot.sections.map(\.name) == ["Ana", "Bob"])
        #expect(try Self.titles(controller) == ["Ana": ["A", "C"], "Bob": ["B"]])
        #expect(try controller.object(at: ResultsIndexPath(section: 0, row: 1))?.label == "C")
        #expect(throws: ObjectError.self) { try Controller(try Self.books(), in: context, sectionedBy: "title") }
    }

    /// Nil is no name, whether the rows' records have no value or there are none, and is not the empty text.
    @Test func rowsWithoutAValueHaveASectionWithoutAName() throws {
        let (library, context, named) = try filled()
        defer { _ = library }
        let alone = try context.make("Book", "D")
        try context.make("Book", "E", ["author": try context.make("Author", "")])
        try context.save()
        let controller = try Controller(try Self.books(), in: context, sectionedBy: "author.name")
        try controller.performFetch()
        #expect(controller.sections.map(\.name) == [nil, "", "Ana", "Bob"])
        var names: [[String?]] = []
        controller.onUpdate = { names.append($0.snapshot.sections.map(\.name)) }
        try alone.set("author", to: named["Bob"])
        try context.save()
        #expect(names == [["", "Ana", "Bob"]])
        let request = FetchRequest<ManagedObject>("Book", sortedBy: [.ascending("author.born")])
        let born = try Controller(request, in: context, sectionedBy: "author.born")
        try born.performFetch()
        #expect(born.sections.map(\.name) == [nil] && born.sections.map(\.rowCount) == [5])
        #expect(born.snapshot.sections.map(\.name) == [nil])
    }

    @Test func aSaveDeliversOneStep() throws {
        let (library, context, named) = try filled()
        defer { _ = library }
        let controller = try Controller(try Self.books(), in: context, sectionedBy: "author.name")
        try controller.performFetch()
        var steps: [ResultsUpdate<ObjectID>] = []
        controller.onUpdate = { steps.append($0) }
        let new = try context.make("Book", "D", ["author": try #require(named["Bob"])])
        try context.delete(try #require(named["A"]))
        try named["C"]?.set("title", to: .string("C2"))
        #expect(steps.isEmpty)
        try context.save()
        #expect(steps.count == 1)
        let step = try #require(steps.first)
        #expect(step.origins == [.thisContext])
        #expect(step.difference.rowInserts.map(\.id) == [new.objectID])
        #expect(step.difference.rowDeletes.map(\.id) == [named["A"]?.objectID])
        #expect(step.difference.rowUpdates.map(\.id) == [named["C"]?.objectID])
        try context.save()
        #expect(steps.count == 1)
    }

    /// The key path leads to the entity of the rows, so an edit of one row moves others.
    @Test(arguments: [nil, "parent.name != nil", "SUBQUERY(children, $c, $c.name == 'x').@count == 0"])
    func anEditOfARecordOfTheSameEntityMovesRows(_ format: String?) throws {
        let library = try TestLibrary()
        let context = library.context()
        let tops = try ["a", "b"].map { try context.make("Folder", $0) }
        for (name, parent) in [("1", tops[0]), ("2", tops[1])] {
            let folder = try context.make("Folder", name)
            try folder.set("parent", to: parent)
        }
        try context.save()
        let request = FetchRequest<ManagedObject>(
            "Folder", where: try format.map { try FetchPredicate(format: $0) },
            sortedBy: [.ascending("parent.name"), .ascending("name")])
        let controller = try Controller(request, in: context)
        try controller.performFetch()
        #expect(try context.fetch(request).map(\.objectID) == controller.snapshot.sections[0].rows)
        try tops[0].set("name", to: .string("c"))
        try context.save()
        #expect(try context.fetch(request).map(\.objectID) == controller.snapshot.sections[0].rows)
    }

    @Test func anEditOfAnotherRecordMovesRows() throws {
        let (library, context, named) = try filled()
        defer { _ = library }
        let controller = try Controller(try Self.books(), in: context, sectionedBy: "author.name")
        try controller.performFetch()
        try named["Ana"]?.set("name", to: .string("Zoe"))
        let step = try #require(try controller.update())
        #expect(step.difference.sectionInserts.map(\.name) == ["Zoe"])
        #expect(try Self.titles(controller) == ["Bob": ["B"], "Zoe": ["A", "C"]])
    }

    @Test func rollbackAndUndoAreDelivered() throws {
        let (library, context, named) = try filled()
        defer { _ = library }
        context.undoHistory = UndoHistory()
        let controller = try Controller(try Self.books(), in: context, sectionedBy: "author.name")
        try controller.performFetch()
        let before = controller.snapshot
        try context.group("delete") { try context.delete(try #require(named["Ana"])) }
        #expect(try Self.titles(controller) == ["Bob": ["B"]])
        context.rollback()
        #expect(controller.snapshot == before)
        try context.group("delete") { try context.delete(try #require(named["Ana"])) }
        try context.save()
        try context.undo()
        #expect(controller.snapshot == before)
    }

    @Test func whatAnotherContextSavesIsDeliveredWithItsOrigin() async throws {
        let (library, context, named) = try filled()
        let controller = try Controller(try Self.books(), in: context, sectionedBy: "author.name")
        var steps = try controller.updates().makeAsyncIterator()
        let other = library.context()
        let id = try #require(named["B"]?.objectID)
        try other.object(with: id)?.set("title", to: .string("B2"))
        try other.save()
        let step = try #require(try await steps.next())
        #expect(step.origins == [.otherContext])
        #expect(step.difference.rowUpdates.map(\.id) == [named["B"]?.objectID])
        #expect(named["B"]?.label == "B2")
    }

    @Test func plainSQLIsDeliveredWithItsOrigin() async throws {
        let (library, context, named) = try filled()
        let controller = try Controller(try Self.books(), in: context)
        var steps = try controller.updates().makeAsyncIterator()
        try PlainSQL(library.replica.path).execute("UPDATE book SET title = 'B2' WHERE title = 'B'")
        let step = try #require(try await steps.next())
        #expect(step.origins == [.otherProgram])
        #expect(step.difference.rowUpdates.map(\.id) == [named["B"]?.objectID])
        #expect(named["B"]?.label == "B2")
    }

    @Test func whatIsPulledIsDeliveredWithItsOrigin() async throws {
        let (library, context, named) = try filled()
        let controller = try Controller(try Self.books(), in: context)
        var steps = try controller.updates().makeAsyncIterator()
        try library.deleteElsewhere(try #require(named["Ana"]).objectID)
        let step = try #require(try await steps.next())
        #expect(step.origins == [.synchronisation])
        #expect(step.difference.rowDeletes.count == 2)
        #expect(named["A"]?.isDeleted == true)
    }

    /// A step after the context's own save includes earlier changes of other writers. The objects are updated with it, because no
    /// later step would report these changes.
    @Test func aStepOfAnOwnSaveBringsWhatItSays() throws {
        let (library, context, named) = try filled()
        let request = FetchRequest<ManagedObject>("Book", sortedBy: [.ascending("author.name"), .ascending("pages")])
        let controller = try Controller(request, in: context)
        try controller.performFetch()
        _ = controller.snapshot
        try PlainSQL(library.replica.path).execute("UPDATE book SET title = 'B2' WHERE title = 'B'")
        var seen: [String] = []
        controller.onUpdate = { step in
            for update in step.difference.rowUpdates {
                seen += named.values.filter { $0.objectID == update.id }.map(\.label)
            }
        }
        try named["Ana"]?.set("name", to: .string("Anna"))
        try context.save()
        #expect(seen.contains("B2"))
        #expect(named["B"]?.label == "B2")
    }

    @Test func ownSavesComeInTheSequenceToo() async throws {
        let (library, context, named) = try filled()
        defer { _ = library }
        let controller = try Controller(try Self.books(), in: context)
        var steps = try controller.updates().makeAsyncIterator()
        try named["B"]?.set("pages", to: .integer(9))
        try context.save()
        #expect(try await steps.next()?.origins == [.thisContext])
    }

    @Test func aListBeginsWithItsSections() throws {
        let (library, context, _) = try filled()
        defer { _ = library }
        let controller = try Controller(try Self.books(), in: context, sectionedBy: "author.name")
        let reads = context.readCount
        try controller.performFetch()
        #expect(controller.sections.map(\.name) == ["Ana", "Bob"])
        #expect(controller.sections.map(\.rowCount) == [2, 1])
        #expect(try controller.objects(inSection: 0, rows: 1..<5).map(\.label) == ["C"])
        #expect(try controller.object(at: ResultsIndexPath(section: 1, row: 0))?.label == "B")
        #expect(try controller.object(at: ResultsIndexPath(section: 1, row: 1)) == nil)
        // One read for the sections, and one for each access to rows.
        #expect(context.readCount - reads == 3)
        #expect(controller.snapshot.sections.map(\.rows.count) == [2, 1])
    }

    @Test func whatOthersWriteBeforeTheRowsAreReadIsAReset() throws {
        let (library, context, _) = try filled()
        let controller = try Controller(try Self.books(), in: context, sectionedBy: "author.name")
        try controller.performFetch()
        try PlainSQL(library.replica.path).execute("DELETE FROM book WHERE title = 'B'")
        let step = try #require(try controller.update())
        #expect(step.isReset)
        #expect(step.difference.rowInserts.count == 2)
        #expect(step.snapshot.sections.map(\.name) == ["Ana"])
        #expect(try controller.update() == nil)
    }

    /// Steps of a list whose sections alone were read equal those of a list whose rows were read.
    @Test(arguments: 0..<12) func sectionsAloneAddUpToTheResultToo(_ seed: UInt64) throws {
        let library = try TestLibrary()
        let (context, other) = (library.context(), library.context())
        context.undoHistory = UndoHistory()
        var play = RandomEdits(seed: seed, context)
        var elsewhere = RandomEdits(seed: seed + 100, other)
        try play.fill()
        try context.save()
        for _ in 0..<10 {
            let request = try Self.books(play.next(2) == 0 ? nil : "pages < 5 OR shelf != nil")
            let read = try Controller(request, in: context, sectionedBy: "author.name")
            try read.performFetch()
            var copy = read.snapshot
            let list = try Controller(request, in: context, sectionedBy: "author.name")
            try list.performFetch()
            #expect(list.sections.map(\.name) == copy.sections.map(\.name))
            for (section, rows) in copy.sections.map(\.rows).enumerated() {
                #expect(try list.objects(inSection: section, rows: 0..<9).map(\.objectID) == Array(rows.prefix(9)))
            }
            list.onUpdate = { step in
                let before = step.isReset ? ResultsSnapshot(sections: []) : copy
                if let next = try? step.difference.applied(to: before) { copy = next }
            }
            try play.edit()
            switch play.next(5) {
            case 0: try context.undo()
            case 1: context.rollback()
            case 2:
                try other.refresh()
                try elsewhere.edit()
                try other.save()
                try context.refresh()
            default: try context.save()
            }
            try list.update()
            let fresh = try Controller(request, in: context, sectionedBy: "author.name")
            try fresh.performFetch()
            #expect(copy == fresh.snapshot)
        }
        #expect(context.failure == nil)
    }

    /// Steps applied to a copy always give the result of a fetch.
    @Test(arguments: 0..<12) func stepsAddUpToTheResult(_ seed: UInt64) throws {
        let library = try TestLibrary()
        let context = library.context()
        context.undoHistory = UndoHistory()
        var play = RandomEdits(seed: seed, context)
        try play.fill()
        try context.save()
        let requests = [
            try Self.books(), try Self.books("pages < 5 AND shelf != nil"), try Self.books("ANY tags.name == 't1'"),
        ]
        let plain = FetchRequest<ManagedObject>(
            "Book", where: try FetchPredicate(format: "pages < 6"), sortedBy: [.descending("pages")])
        let controllers =
            try requests.map { try Controller($0, in: context, sectionedBy: "author.name") }
            + [try Controller(plain, in: context), try Controller(plain, in: context, sectionedBy: "pages")]
        var copies: [ResultsSnapshot<ObjectID>] = []
        for controller in controllers {
            try controller.performFetch()
            copies.append(controller.snapshot)
        }
        for (index, controller) in controllers.enumerated() {
            controller.onUpdate = { step in
                if let next = try? step.difference.applied(to: copies[index]) { copies[index] = next }
            }
        }
        for _ in 0..<10 {
            try play.edit()
            switch play.next(5) {
            case 0: try context.undo()
            case 1: context.rollback()
            case 2: context.deliverChanges()
            default: try context.save()
            }
            context.deliverChanges()
            for (index, controller) in controllers.enumerated() {
                let fresh = try Controller(controller.request, in: context, sectionedBy: controller.sectionPath)
                try fresh.performFetch()
                #expect(copies[index] == fresh.snapshot)
                #expect(controller.snapshot == fresh.snapshot)
            }
        }
        #expect(context.failure == nil)
    }
}
