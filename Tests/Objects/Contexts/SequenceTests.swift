import Objects
import Replica
import RoostModel
import TestPlainSQL
import Testing

/// Sequences of deletes, saves, undos and other writes that once had a wrong result.
@Suite struct SequenceTests {
    @Test func relationshipsStayWithinTheirStore() throws {
        let (one, two) = (try TestLibrary(), try TestLibrary())
        let coordinator = try StoreCoordinator(one.replica, two.replica)
        let writer = ObjectContext(coordinator)
        for number in 0..<6 {
            let store = coordinator.stores[number % 2].id
            let author = try writer.insert("Author", into: store)
            try author.set("name", to: .string("a\(number)"))
            let book = try writer.insert("Book", into: store)
            try book.set("title", to: .string("b\(number)"))
            try book.set("author", to: author)
        }
        try writer.save()
        let context = ObjectContext(coordinator)
        let authors = try context.fetch(FetchRequest<ManagedObject>("Author", sortedBy: [.ascending("name")]))
        #expect(try authors.map { try $0.objects("books").map(\.label) } == (0..<6).map { ["b\($0)"] })
        let other = ObjectContext(coordinator)
        let books = try other.fetch(FetchRequest<ManagedObject>("Book", sortedBy: [.ascending("title")]))
        #expect(try books.map { try $0.object("author")?.label } == (0..<6).map { "a\($0)" })
    }

    @Test func aRedoOfADeleteLeavesNoGhosts() throws {
        let library = try TestLibrary()
        let context = library.context()
        context.undoHistory = UndoHistory()
        let author = try context.make("Author", "Ana")
        try context.make("Book", "A", ["author": author])
        try context.save()
        try context.group("delete") { try context.delete(author) }
        try context.save()
        try context.undo()
        #expect(try context.count(FetchRequest<ManagedObject>("Book")) == 1)
        try context.redo()
        #expect(try context.count(FetchRequest<ManagedObject>("Book")) == 0)
        #expect(!context.hasChanges)
    }

    @Test func aContextIsNotInConflictWithItsOwnDelete() throws {
        let library = try TestLibrary()
        let context = library.context()
        let (old, new) = (try context.make("Shelf", "old"), try context.make("Shelf", "new"))
        let book = try context.make("Book", "A", ["shelf": old])
        try context.save()
        try context.delete(old)
        try context.save()
        context.mergePolicy = .ask
        try book.set("shelf", to: new)
        #expect(try context.save().conflicts.isEmpty)
        #expect(try library.count("book", "shelf IS NOT NULL") == 1)
    }

    @Test func whatIsSavedUnderADeletedParentIsSaid() throws {
        let library = try TestLibrary()
        let (one, two) = (library.context(), library.context())
        let author = try one.make("Author", "Ana")
        try one.save()
        try two.delete(try #require(try two.object(with: author.objectID)))
        try two.save()
        let book = try one.make("Book", "A", ["author": author])
        let report = try one.save()
        #expect(report.conflicts == [.init(objectID: book.objectID, outcome: .staysHidden)])
        #expect(book.isDeleted)
    }

    /// A user's trigger may ignore a write, which SQL does not report.
    @Test func aWriteThatATriggerIgnoresIsNotSaved() throws {
        let library = try TestLibrary(
            """
            {"format": 1, "name": "books", "version": 1, "entities": [
              {"id": 1, "name": "Author", "attributes": [{"id": 1, "name": "name", "type": "string"}], "relationships": [
                {"id": 2, "name": "books", "kind": "toMany", "destination": "Book", "inverse": "author",
                 "deleteRule": "cascade"}]},
              {"id": 2, "name": "Book", "attributes": [{"id": 1, "name": "title", "type": "string"}], "relationships": [
                {"id": 2, "name": "author", "kind": "toOne", "destination": "Author", "inverse": "books"}]}]}
            """)
        try PlainSQL(library.replica.path).execute(
            "CREATE TRIGGER mine BEFORE INSERT ON book WHEN new.title = 'no' BEGIN SELECT RAISE(IGNORE); END")
        let context = library.context()
        let author = try context.make("Author", "Ana")
        let books = try ["yes", "no"].map { try context.make("Book", $0, ["author": author]) }
        let error = #expect(throws: ObjectError.self) { try context.save() }
        #expect(error?.message.contains("\(books[1].objectID.record): a trigger of yours ignored the write") == true)
        #expect(try library.count("book") == 0)
        try books[1].set("title", to: .string("yes"))
        try context.save()
        #expect(try library.count("book") == 2)
    }

    /// Each write of the library that a trigger ignores throws an error, and its transaction is rolled back.
    @Test(arguments: ["UPDATE", "DELETE", "INSERT"]) func aWriteThatATriggerIgnoresIsDenied(event: String) throws {
        let library = try TestLibrary()
        let (book, deleted) = (RecordID(high: 0, low: 1), RecordID(high: 0, low: 2))
        try library.replica.write("books") { transaction in
            try transaction.put("Book", id: book, ["title": .string("A")])
            try transaction.put("Book", id: deleted, ["title": .string("B")])
            try transaction.delete("Book", id: deleted)
        }
        try PlainSQL(library.replica.path).execute(
            "CREATE TRIGGER mine BEFORE \(event) ON book BEGIN SELECT RAISE(IGNORE); END")
        let error = #expect(throws: ReplicaError.self) {
            try library.replica.write("ignored") { transaction in
                try transaction.put("Author", id: RecordID(high: 0, low: 3), ["name": .string("Ana")])
                switch event {
                case "UPDATE": try transaction.put("Book", id: book, ["title": .string("C")])
                case "DELETE": try transaction.delete("Book", id: book)
                default: try transaction.undelete("Book", id: deleted)
                }
            }
        }
        #expect(error?.code == .denied)
        #expect(try library.count("author") == 0)
        #expect(try library.count("book", "title = 'A'") == 1)
    }

    @Test func anUndoneDeleteKeepsWhatOthersWroteMeanwhile() throws {
        let library = try TestLibrary()
        let context = library.context()
        context.undoHistory = UndoHistory()
        let book = try context.make("Book", "A")
        try context.save()
        try context.group("delete") { try context.delete(book) }
        try context.save()
        try library.replica.write("elsewhere") { transaction in
            try transaction.undelete("Book", id: book.objectID.record)
            try transaction.put("Book", id: book.objectID.record, ["title": .string("T")])
            try transaction.delete("Book", id: book.objectID.record)
        }
        try context.undo()
        try context.save()
        #expect(try library.count("book", "title = 'T'") == 1)
    }

    @Test func anUndoneInsertKeepsWhatOthersHungOffIt() throws {
        let library = try TestLibrary()
        let context = library.context()
        context.undoHistory = UndoHistory()
        let author = try context.group("add") { try context.make("Author", "Ana") }
        try context.save()
        let other = library.context()
        try other.make("Book", "B", ["author": try #require(try other.object(with: author.objectID))])
        try other.save()
        #expect(try context.undo()?.leftAlone == [.init(objectID: author.objectID, reason: .thereSince)])
        #expect(!context.hasChanges)
    }

    @Test func aLostEditIsToldUntilItIsCorrected() throws {
        let library = try TestLibrary()
        let one = try StoreCoordinator([.inMemory(library.replica.schema)], classes: LibrarySchema.classes)
        let context = ObjectContext(one)
        let book = try context.insert(Book.self)
        book.title = "A"
        book.author = try ObjectContext(one).insert(Author.self)
        for _ in 1...2 { #expect(throws: ObjectError.self) { try context.save() } }
        book.author = nil
        try context.save()
        #expect(!context.hasChanges)
    }

    @Test func whoAsksMaySaveAfterARefresh() throws {
        let library = try TestLibrary()
        let context = library.context()
        context.mergePolicy = .ask
        let book = try context.make("Book", "A")
        try context.save()
        try library.replica.write("elsewhere") { try $0.put("Book", id: book.objectID.record, ["title": .string("T")]) }
        try book.set("title", to: .string("M"))
        #expect(throws: ObjectError.self) { try context.save() }
        try context.refresh()
        #expect(book.label == "M")
        try context.save()
        #expect(try library.count("book", "title = 'M'") == 1)
    }

    @Test func anUnfinishedChildOfADeletedParentDoesNotHoldTheSaveBack() throws {
        let library = try TestLibrary()
        let context = library.context()
        let author = try context.make("Author", "Ana")
        try context.save()
        let note = try context.insert("Note")
        let book = try context.make("Book", "A", ["author": author])
        try note.set("book", to: book)
        try context.delete(author)
        try context.save()
        #expect(note.isDeleted)
        #expect(try library.count("author") == 0)
    }

    @Test func aDeletedNewParentLeavesStoredGrandchildrenHidden() throws {
        let library = try TestLibrary()
        let context = library.context()
        let book = try context.make("Book", "A")
        let note = try context.make("Note", "n", ["book": book])
        try context.save()
        let author = try context.make("Author", "new")
        try book.set("author", to: author)
        try context.delete(author)
        #expect(book.isDeleted)
        #expect(note.isDeleted)
        try context.save()
        #expect(try library.count("note") == 0)
    }

    @Test func aRecordThatADeleteHidMayBeMadeAnew() throws {
        let library = try TestLibrary()
        let writer = library.context()
        let author = try writer.make("Author", "Ana")
        let record = try writer.make("Book", "A", ["author": author]).objectID.record
        try writer.save()
        let context = library.context()
        try context.delete(try #require(try context.object(with: author.objectID)))
        let book = try context.insert("Book", id: record)
        try book.set("title", to: .string("B"))
        #expect(!book.isDeleted)
    }

    @Test func aRollbackTakesItsGroupsOutOfTheHistory() throws {
        let library = try TestLibrary()
        let context = library.context()
        context.undoHistory = UndoHistory()
        try context.group("add") { try context.make("Author", "Ana") }
        try context.save()
        try context.group("lost") { try context.make("Author", "Bob") }
        context.rollback()
        #expect(context.undoHistory?.undoNames == ["add"])
        #expect(context.undoHistory?.redoNames == [])
    }

    @Test func aDeletedObjectTakesNoLinks() throws {
        let library = try TestLibrary()
        let context = library.context()
        let (book, tag) = (try context.make("Book", "A"), try context.make("Tag", "t"))
        try context.save()
        try context.delete(book)
        #expect(throws: ObjectError.self) { try book.add(tag, to: "tags") }
        #expect(try tag.objects("books").isEmpty)
    }
}
