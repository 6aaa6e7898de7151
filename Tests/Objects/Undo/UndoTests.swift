import Objects
import Replica
import RoostModel
import Testing

@Suite struct UndoTests {
    private func context(of library: TestLibrary, limit: Int? = nil) -> ObjectContext {
        let context = library.context()
        context.undoHistory = UndoHistory(limit: limit)
        return context
    }

    @Test func anEditIsUndoneAndRedone() throws {
        let library = try TestLibrary()
        let context = context(of: library)
        let author = try context.group("add") { try context.make("Author", "Ana") }
        try context.group("rename") { try author.set("name", to: .string("Anne")) }
        #expect(context.undoHistory?.undoNames == ["add", "rename"])
        #expect(try context.undo()?.name == "rename")
        #expect(author.label == "Ana")
        #expect(try context.redo()?.name == "rename")
        #expect(author.label == "Anne")
        try context.undo()
        try context.undo()
        #expect(author.isDeleted)
        #expect(!context.hasChanges)
        #expect(try context.undo() == nil)
        try context.redo()
        #expect(context.insertedObjects.map(\.label) == ["Ana"])
    }

    @Test func anEditThatIsMadeAgainAfterItsUndoIsSaved() throws {
        let library = try TestLibrary()
        let context = context(of: library)
        let author = try context.make("Author", "Ana")
        try context.save()
        try context.group("rename") { try author.set("name", to: .string("Anne")) }
        try context.undo()
        #expect(!context.hasChanges)
        try author.set("name", to: .string("Anne"))
        try context.save()
        #expect(try library.count("author", "name = 'Anne'") == 1)
    }

    @Test func whatIsNotInAGroupEndsWithTheSave() throws {
        let library = try TestLibrary()
        let context = context(of: library)
        try context.make("Author", "Ana")
        try context.make("Author", "Bob")
        try context.save("two authors")
        #expect(context.undoHistory?.undoNames == ["two authors"])
        try context.undo()
        try context.save()
        #expect(try library.count("author") == 0)
        try context.redo()
        try context.save()
        #expect(try library.count("author") == 2)
    }

    @Test func aRollbackGivesUpAnUndoAndNotWhatWasUndone() throws {
        let library = try TestLibrary()
        let context = context(of: library)
        try context.group("add") { try context.make("Author", "Ana") }
        try context.save()
        try context.undo()
        context.rollback()
        #expect(context.undoHistory?.undoNames == ["add"])
        #expect(context.undoHistory?.redoNames == [])
        #expect(try context.undo()?.leftAlone == [])
        try context.save()
        #expect(try library.count("author") == 0)
        try context.redo()
        context.rollback()
        #expect(context.undoHistory?.redoNames == ["add"])
    }

    @Test func anObjectHiddenByAnotherIsEditedByItsUndo() throws {
        let library = try TestLibrary()
        let context = context(of: library)
        let author = try context.make("Author", "Ana")
        let book = try context.make("Book", "A", ["author": author])
        try context.save()
        try context.group("rename") { try book.set("title", to: .string("B")) }
        try context.save()
        try context.delete(author)
        context.rollback()
        try context.undo()
        #expect(book.label == "A")
        try context.save()
        #expect(try library.count("book", "title = 'A'") == 1)
    }

    @Test func aDeleteIsUndoneAfterItsSaveWithAllThatItHid() throws {
        let library = try TestLibrary()
        let context = context(of: library)
        let author = try context.make("Author", "Ana")
        let shelf = try context.make("Shelf", "s")
        try context.make("Book", "A", ["author": author, "shelf": shelf])
        try context.save()
        try context.delete(author)
        try context.delete(shelf)
        try context.save("delete")
        #expect(try library.count("book") == 0)
        #expect(try context.undo()?.leftAlone == [])
        try context.save()
        #expect(try library.count("book", "author IS NOT NULL AND shelf IS NOT NULL") == 1)
    }

    @Test func anUndoLeavesAloneWhatOthersChanged() throws {
        let library = try TestLibrary()
        let context = context(of: library)
        let book = try context.make("Book", "A")
        try context.save()
        try context.group("edit") {
            try book.set("title", to: .string("B"))
            try book.set("pages", to: .integer(7))
        }
        try context.save()
        try library.replica.write("elsewhere") { try $0.put("Book", id: book.objectID.record, ["title": .string("T")]) }
        try context.refresh()
        let report = try context.undo()
        #expect(report?.leftAlone == [.init(objectID: book.objectID, reason: .changedSince(["title"]))])
        #expect(book.label == "T")
        #expect(try book.value(of: "pages") == .integer(0))
    }

    @Test func anUndoLeavesAloneWhatOthersDeleted() throws {
        let library = try TestLibrary()
        let context = context(of: library)
        let book = try context.make("Book", "A")
        try context.save()
        try context.group("edit") { try book.set("title", to: .string("B")) }
        try context.save()
        try library.replica.write("elsewhere") { try $0.delete("Book", id: book.objectID.record) }
        try context.refresh()
        #expect(try context.undo()?.leftAlone == [.init(objectID: book.objectID, reason: .goneSince)])
        #expect(!context.hasChanges)
    }

    /// Other writers have committed, and the context has not read their changes yet.
    @Test func anUndoLooksForOthersChangesItself() throws {
        let library = try TestLibrary()
        let context = context(of: library)
        let (edited, deleted) = (try context.make("Book", "A"), try context.make("Book", "D"))
        try context.save()
        let made = try context.group("work") {
            try edited.set("title", to: .string("B"))
            try deleted.set("title", to: .string("E"))
            return try context.make("Book", "C")
        }
        try context.save()
        try library.replica.write("elsewhere") { transaction in
            try transaction.put("Book", id: edited.objectID.record, ["title": .string("T")])
            try transaction.put("Book", id: made.objectID.record, ["title": .string("C"), "pages": .integer(9)])
            try transaction.delete("Book", id: deleted.objectID.record)
        }
        let report = try #require(try context.undo())
        #expect(
            Set(report.leftAlone) == [
                .init(objectID: edited.objectID, reason: .changedSince(["title"])),
                .init(objectID: deleted.objectID, reason: .goneSince),
                .init(objectID: made.objectID, reason: .thereSince),
            ])
        #expect(report.changed == [])
        #expect(!context.hasChanges)
        try context.save()
        #expect(try library.replica.select("SELECT title FROM book ORDER BY 1") == [[.string("C")], [.string("T")]])
    }

    /// The undo of an unsaved edit yields to the values that other writers have saved meanwhile.
    @Test(arguments: [MergePolicy.keepMine, .takeTheirs, .ask])
    func anUndoOfAnUnsavedEditShowsWhatOthersSaved(_ policy: MergePolicy) throws {
        let library = try TestLibrary()
        let context = context(of: library)
        context.mergePolicy = policy
        let book = try context.make("Book", "A")
        try context.save()
        try context.group("edit") { try book.set("title", to: .string("B")) }
        try library.replica.write("elsewhere") { try $0.put("Book", id: book.objectID.record, ["title": .string("T")]) }
        try context.undo()
        #expect(book.label == "T")
        #expect(!context.hasChanges)
        try context.save()
        #expect(try library.replica.select("SELECT title FROM book") == [[.string("T")]])
    }

    @Test func linksAreUndone() throws {
        let library = try TestLibrary()
        let context = context(of: library)
        let (book, tag) = (try context.make("Book", "A"), try context.make("Tag", "t"))
        try context.save()
        try context.group("tag") { try book.add(tag, to: "tags") }
        try context.save()
        try context.undo()
        #expect(try book.objects("tags").isEmpty)
        try context.save()
        #expect(try library.count("book_tags") == 0)
        try context.redo()
        try context.save()
        #expect(try library.count("book_tags") == 1)
    }

    @Test func aNewChangeForgetsWhatCouldBeRedone() throws {
        let library = try TestLibrary()
        let context = context(of: library)
        let author = try context.group("add") { try context.make("Author", "Ana") }
        try context.group("rename") { try author.set("name", to: .string("Anne")) }
        try context.undo()
        try context.group("again") { try author.set("name", to: .string("Anna")) }
        #expect(context.undoHistory?.redoNames == [])
    }

    @Test func onlySoManyGroupsAreKept() throws {
        let library = try TestLibrary()
        let context = context(of: library, limit: 2)
        for name in ["a", "b", "c"] { try context.group(name) { try context.make("Author", name) } }
        #expect(context.undoHistory?.undoNames == ["b", "c"])
    }

    @Test func innerGroupsBelongToTheOuterOne() throws {
        let library = try TestLibrary()
        let context = context(of: library)
        try context.group("both") {
            try context.group("one") { try context.make("Author", "a") }
            try context.group("two") { try context.make("Author", "b") }
        }
        #expect(context.undoHistory?.undoNames == ["both"])
    }

    /// Random edits in groups, saved now and then. Undoing all groups restores the beginning, and redoing them restores the end.
    @Test(arguments: 0..<30) func undoingAllIsTheBeginning(_ seed: UInt64) throws {
        let library = try TestLibrary()
        let context = context(of: library)
        var play = RandomEdits(seed: seed, context)
        try play.fill()
        try context.save()
        context.undoHistory = UndoHistory()
        let beginning = try play.contents()
        for step in 0..<12 {
            try context.group("step \(step)") { try play.edit() }
            if play.chance(3) { try context.save() }
        }
        let end = try play.contents()
        while let report = try context.undo() {
            #expect(report.leftAlone == [])
            // The save shows objects again that a delete had hidden.
            try context.save()
        }
        #expect(try play.contents() == beginning)
        while try context.redo() != nil { try context.save() }
        #expect(try play.contents() == end)
        try context.save()
        let other = RandomEdits(seed: seed, library.context())
        #expect(try other.contents() == end)
    }
}
