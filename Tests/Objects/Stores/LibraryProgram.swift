import Objects
import RoostModel

/// An application that uses its coordinator with any kind of store, and records its observations.
final class LibraryProgram {
    private let coordinator: StoreCoordinator
    private let context: ObjectContext
    private(set) var told: [String] = []

    init(_ coordinator: StoreCoordinator) {
        self.coordinator = coordinator
        context = ObjectContext(coordinator)
        context.undoHistory = UndoHistory()
    }

    func run() throws {
        try fill()
        try fetch()
        try list()
        try change()
        try undo()
        try delete()
    }

    /// Returns all objects of a new context.
    func contents() throws -> [ObjectID: [String]] { try RandomEdits(seed: 0, ObjectContext(coordinator)).contents() }

    private func tell(_ what: Any) { told.append("\(what)") }

    private func refusal(_ body: () throws -> Void) {
        do {
            try body()
            tell("not refused")
        } catch let error as ObjectError {
            tell(error.code)
        } catch {
            tell("\(type(of: error))")
        }
    }

    private func fill() throws {
        let authors = try ["Zoé", "Éva", "Ana"].map { try context.make("Author", $0) }
        let (shelf, tag) = (try context.make("Shelf", "s"), try context.make("Tag", "t"))
        for number in 0..<9 {
            let book = try context.make("Book", "b\(number)", ["author": authors[number % 3]])
            try book.set("pages", to: .integer(Int64(number * number)))
            if number % 2 == 0 { try book.set("shelf", to: shelf) }
            if number % 4 == 0 { try book.add(tag, to: "tags") }
        }
        tell(context.hasChanges)
        tell(try context.save("fill").inserted.count)
        let broken = try context.insert("Author")
        refusal { try context.save() }
        try context.delete(broken)
        let other = ObjectContext(try StoreCoordinator([.inMemory(coordinator.model.schema)]))
        let foreign = try other.make("Shelf", "foreign")
        refusal { try first("b0").set("shelf", to: foreign) }
    }

    private func first(_ title: String) throws -> ManagedObject {
        try context.fetch(books("title == '\(title)'"))[0]
    }

    private func books(
        _ format: String, by descriptors: [FetchSortDescriptor] = [], limit: Int? = nil
    ) throws -> FetchRequest<ManagedObject> {
        FetchRequest("Book", where: try FetchPredicate(format: format), sortedBy: descriptors, limit: limit)
    }

    private func fetch() throws {
        let byAuthor: [FetchSortDescriptor] = [.ascending("author.name", .localized), .descending("pages")]
        tell(try context.fetch(books("pages > 3", by: byAuthor)).map(\.label))
        tell(try context.fetch(books("author.name LIKE[cd] 'e*' OR ANY tags.name == 't'", by: byAuthor)).map(\.label))
        tell(try context.fetch(books("TRUEPREDICATE", by: [.descending("pages")], limit: 2)).map(\.label))
        tell(try context.fetchValues(books("pages < 20", by: byAuthor), ["title", "author.name"]))
        tell(
            try context.fetchGroups(
                books("TRUEPREDICATE"), by: ["author.name"], .count(), .sum("pages"), .average("pages")))
        tell(
            try context.fetchSections(
                books("TRUEPREDICATE", by: [.ascending("pages")]), by: "author",
                sortedBy: [.ascending("author.name", .localized)]
            ).map { $0.objects.map(\.label) })
        tell(try context.count(books("shelf != nil")))
    }

    private func list() throws {
        let request = try books("pages < 50", by: [.ascending("author.name", .localized), .ascending("pages")])
        let controller = try FetchedResultsController(request, in: context, sectionedBy: "author.name")
        try controller.performFetch()
        var copy = controller.snapshot
        tell(copy.sections.map(\.name))
        controller.onUpdate = { update in copy = (try? update.difference.applied(to: copy)) ?? copy }
        try first("b2").set("pages", to: .integer(99))
        try first("b1").set("author", to: try context.fetch(FetchRequest<ManagedObject>("Author"))[0])
        try context.save("move")
        tell(copy == controller.snapshot)
        tell(try copy.sections.map { try context.objects(with: $0.rows).map(\.label) })
    }

    private func change() throws {
        tell(try context.updateAll(books("title IN {'b3', 'b4'}"), ["lent": .boolean(true)]))
        tell(try context.deleteAll(books("title == 'b5'")))
        let other = ObjectContext(coordinator)
        other.mergePolicy = .takeTheirs
        let theirs = try other.fetch(books("title == 'b6'"))[0]
        let mine = try first("b6")
        try mine.set("title", to: .string("mine"))
        try context.save("mine")
        try theirs.set("title", to: .string("theirs"))
        try theirs.set("pages", to: .integer(1))
        tell(try other.save().conflicts.map(\.outcome))
        try context.refresh()
        tell(try [mine.label, "\(mine.value(of: "pages"))"])
        let form = ObjectContext(childOf: context)
        try form.make("Shelf", "of a form")
        try form.save()
        tell(context.insertedObjects.map(\.label))
        context.rollback()
        tell(context.hasChanges)
    }

    private func undo() throws {
        try context.group("rename") { try first("b7").set("title", to: .string("seven")) }
        try context.save()
        tell(try context.undo()?.leftAlone.count ?? -1)
        try context.save()
        try context.redo()
        try context.save()
        tell(try context.fetchIDs(books("title == 'seven'")).count)
    }

    private func delete() throws {
        let series = try context.make("Series", "held")
        try first("b8").set("series", to: series)
        try context.save()
        try context.delete(series)
        refusal { try context.save() }
        context.rollback()
        let ana = try context.fetch(
            FetchRequest<ManagedObject>("Author", where: try FetchPredicate(format: "name == 'Ana'")))[0]
        let book = try first("b8")
        try context.delete(ana)
        try context.save()
        tell(try context.liveness(of: book.objectID) == .hidden(because: ana.objectID))
        tell(try context.fetch(books("TRUEPREDICATE", by: [.ascending("title")])).map(\.label))
        try context.undelete("Author", id: ana.objectID.record)
        try context.save()
        tell(try context.fetch(books("TRUEPREDICATE", by: [.ascending("title")])).map(\.label))
    }
}
