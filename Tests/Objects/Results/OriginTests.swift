import Objects
import Replica
import RoostModel
import TestPlainSQL
import Testing

/// The origins of steps after the program has asked for the changes of others itself.
@Suite struct OriginTests {
    enum Writer: CaseIterable {
        case otherContext, otherProgram, synchronisation

        var origin: ChangeOrigin {
            switch self {
            case .otherContext: .otherContext
            case .otherProgram: .otherProgram
            case .synchronisation: .synchronisation
            }
        }

        /// Changes or deletes the book A.
        func write(_ stage: Stage) throws {
            switch self {
            case .otherContext:
                let other = stage.library.context()
                try other.object(with: stage.book.objectID)?.set("title", to: .string("A2"))
                try other.save()
            case .otherProgram:
                try PlainSQL(stage.library.replica.path).execute("UPDATE book SET title = 'A2' WHERE title = 'A'")
            case .synchronisation: try stage.library.deleteElsewhere(stage.book.objectID)
            }
        }
    }

    /// A list of the books A and B of Ana, whose steps are recorded.
    final class Stage {
        let library: TestLibrary
        let context: ObjectContext
        let author: ManagedObject
        let book: ManagedObject
        let other: ManagedObject
        private let list: FetchedResultsController<ManagedObject>
        private(set) var steps: [ResultsUpdate<ObjectID>] = []
        var origins: [Set<ChangeOrigin>] { steps.map(\.origins) }

        init(sortedBy path: String = "title", sectionedBy section: String? = nil) throws {
            library = try TestLibrary()
            context = library.context()
            author = try context.make("Author", "Ana")
            book = try context.make("Book", "A", ["author": author])
            other = try context.make("Book", "B", ["author": author])
            try context.save()
            let request = FetchRequest<ManagedObject>("Book", sortedBy: [.ascending(path), .ascending("title")])
            list = try FetchedResultsController(request, in: context, sectionedBy: section)
            try list.performFetch()
            list.onUpdate = { [unowned self] in steps.append($0) }
        }
    }

    /// A refresh delivers the changes with their origin, and the next save of the context has its own origin only.
    @Test(arguments: Writer.allCases, [false, true]) func aRefreshKnowsWhoWrote(
        _ writer: Writer, _ isOfObjects: Bool
    ) throws {
        let stage = try Stage()
        try writer.write(stage)
        let report = isOfObjects ? try stage.context.refresh([stage.book]) : try stage.context.refresh()
        #expect(report.changed.union(report.gone) == [stage.book.objectID])
        #expect(stage.origins == [[writer.origin]])
        try stage.other.set("title", to: .string("B2"))
        try stage.context.save()
        #expect(stage.origins == [[writer.origin], [.thisContext]])
        stage.context.deliverChanges()
        #expect(stage.steps.count == 2)
    }

    @Test func aRefreshKnowsAllWhoWrote() throws {
        let stage = try Stage()
        try Writer.otherProgram.write(stage)
        let context = stage.library.context()
        try context.make("Book", "C")
        try context.save()
        try stage.context.refresh()
        #expect(stage.origins == [[.otherProgram, .otherContext]])
        #expect(stage.steps.last?.snapshot.rowCount == 3)
    }

    /// Unsaved changes of the context still wait for their delivery where there is nothing of others.
    @Test func aRefreshWithoutNewsDeliversNothing() throws {
        let stage = try Stage()
        try stage.book.set("title", to: .string("Z"))
        #expect(try stage.context.refresh().isEmpty)
        #expect(stage.steps.isEmpty)
        stage.context.deliverChanges()
        #expect(stage.origins == [[.thisContext]])
    }

    /// An undo applies the changes of others first. They are a step of their own.
    @Test(arguments: Writer.allCases) func anUndoKnowsWhoWrote(_ writer: Writer) throws {
        let stage = try Stage()
        stage.context.undoHistory = UndoHistory()
        try stage.context.group("rename") { try stage.other.set("title", to: .string("B2")) }
        try writer.write(stage)
        try stage.context.undo()
        #expect(stage.origins == [[.thisContext], [writer.origin], [.thisContext]])
    }

    /// A list whose order depends on other records is read as a whole after a save, and observes what others wrote before.
    @Test func aSaveNamesWhoWroteBefore() throws {
        let stage = try Stage(sortedBy: "author.name")
        try Writer.otherProgram.write(stage)
        try stage.author.set("name", to: .string("Anne"))
        try stage.context.save()
        #expect(stage.origins == [[.thisContext, .otherProgram]])
        try stage.context.refresh()
        #expect(stage.steps.count == 1)
    }

    /// The rows of a list with sections are not read yet when somebody else writes.
    @Test(arguments: Writer.allCases) func aResetKnowsWhoWrote(_ writer: Writer) throws {
        let stage = try Stage(sortedBy: "author.name", sectionedBy: "author.name")
        try writer.write(stage)
        try stage.context.refresh()
        #expect(stage.steps.map(\.isReset) == [true])
        #expect(stage.origins == [[writer.origin]])
    }
}
