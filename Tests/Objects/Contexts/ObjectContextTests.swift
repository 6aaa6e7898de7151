import Objects
import Replica
import RoostModel
import Testing

@Suite struct ObjectContextTests {
    @Test func nothingReachesTheStoreBeforeSave() throws {
        let library = try TestLibrary()
        let context = library.context()
        try context.make("Author", "Ana")
        #expect(context.hasChanges)
        #expect(try library.count("author") == 0)
        try context.save()
        #expect(!context.hasChanges)
        #expect(try library.count("author", "name = 'Ana'") == 1)
    }

    @Test func aSaveIsOneTransactionOfTheOutbox() throws {
        let library = try TestLibrary()
        let context = library.context()
        let author = try context.make("Author", "Ana")
        for title in ["A", "B", "C"] { try context.make("Book", title, ["author": author]) }
        try context.save()
        #expect(
            try library.replica.select("SELECT count(*), count(DISTINCT txn) FROM roost_outbox") == [
                [.integer(4), .integer(1)]
            ])
    }

    @Test func oneObjectPerRecord() throws {
        let library = try TestLibrary()
        let writer = library.context()
        let id = try writer.make("Author", "Ana").objectID
        try writer.save()
        let context = library.context()
        let first = try context.object(with: id)
        #expect(first != nil)
        #expect(try context.object(with: id) === first)
        #expect(try writer.object(with: id) !== first)
    }

    @Test func anObjectIsFoundByItsRecord() throws {
        let library = try TestLibrary(classes: LibrarySchema.classes)
        let id = RecordID(derivedFrom: ["settings"])
        let writer = library.context()
        let author = try writer.insert(Author.self, id: id)
        author.name = "Ana"
        #expect(try writer.object(Author.self, id: id) === author)
        try writer.save()
        let context = library.context()
        #expect(try context.object(Author.self, id: id)?.name == "Ana")
        #expect(try context.object("Author", id: id)?.label == "Ana")
        #expect(try context.object(Book.self, id: id) == nil)
        #expect(throws: ObjectError.self) { try context.object("Colour", id: id) }
    }

    @Test func anObjectThatNobodyHoldsLeavesItsContext() throws {
        let library = try TestLibrary()
        let context = library.context()
        let id = try context.make("Author", "Ana").objectID
        try context.save()
        weak let object = try context.object(with: id)
        #expect(object == nil)
        #expect(try context.object(with: id)?.label == "Ana")
    }

    @Test func unsavedEditsKeepTheirObjectAlive() throws {
        let library = try TestLibrary()
        let context = library.context()
        let id = try context.make("Author", "Ana").objectID
        try context.save()
        try context.object(with: id)?.set("name", to: .string("Anne"))
        #expect(context.updatedObjects.map(\.label) == ["Anne"])
    }

    @Test func rollbackGivesUpEverything() throws {
        let library = try TestLibrary()
        let context = library.context()
        let kept = try context.make("Author", "Ana")
        let deleted = try context.make("Author", "Bob")
        try context.save()
        try kept.set("name", to: .string("Anne"))
        try context.delete(deleted)
        let new = try context.make("Author", "Cem")
        context.rollback()
        #expect(!context.hasChanges)
        #expect(kept.label == "Ana")
        #expect(!deleted.isDeleted)
        #expect(new.isDeleted)
        try context.save()
        #expect(try library.count("author") == 2)
    }

    @Test func defaultsAreThereAtOnce() throws {
        let library = try TestLibrary()
        let book = try library.context().insert("Book")
        #expect(try book.value(of: "pages") == .integer(0))
        #expect(try book.value(of: "lent") == .boolean(false))
        #expect(try book.value(of: "rating") == .null)
    }

    @Test func anEditThatIsTakenBackIsNoChange() throws {
        let library = try TestLibrary()
        let context = library.context()
        let author = try context.make("Author", "Ana")
        try context.save()
        try author.set("name", to: .string("Anne"))
        try author.set("name", to: .string("Ana"))
        #expect(!context.hasChanges)
        #expect(try context.save().isEmpty)
    }

    @Test func changedValuesSayWhatASaveWrites() throws {
        let library = try TestLibrary()
        let context = library.context()
        let book = try context.make("Book", "A")
        try context.save()
        try book.set("pages", to: .integer(7))
        #expect(book.changedValues == ["pages": .integer(7)])
        #expect(try book.committedValue(of: "pages") == .integer(0))
    }

    @Test func unknownNamesAreSaid() throws {
        let library = try TestLibrary()
        let context = library.context()
        #expect(throws: ObjectError.self) { try context.insert("Boek") }
        let book = try context.make("Book", "A")
        let error = #expect(throws: ObjectError.self) { try book.set("page", to: .integer(1)) }
        #expect(error?.code == .unknown)
        #expect(error?.message.contains("\"pages\"") == true)
    }

    @Test func aValueOfAnotherTypeIsRefused() throws {
        let library = try TestLibrary()
        let book = try library.context().make("Book", "A")
        let error = #expect(throws: ObjectError.self) { try book.set("pages", to: .string("many")) }
        #expect(error?.code == .invalidValue)
        #expect(try book.value(of: "pages") == .integer(0))
    }

    @Test func aSaveSaysEveryProblemAndWritesNothing() throws {
        let library = try TestLibrary()
        let context = library.context()
        try context.insert("Author")
        let author = try context.make("Author", "Ana")
        try author.set("born", to: .string("2026-02-30"))
        try context.make("Note", "n")
        let error = #expect(throws: ObjectError.self) { try context.save() }
        #expect(error?.code == .validation)
        #expect(error?.problems.count == 3)
        #expect(error?.description.contains("\"born\" is not a day that exists. Write it as YYYY-MM-DD.") == true)
        #expect(error?.description.contains("\"book\" names no object. Set it to one.") == true)
        #expect(try library.count("author") == 0)
        #expect(context.insertedObjects.count == 3)
    }

    @Test func aRecordThatIsGivenTwiceIsRefused() throws {
        let library = try TestLibrary()
        let context = library.context()
        let id = try context.make("Author", "Ana").objectID.record
        #expect(throws: ObjectError.self) { try context.insert("Author", id: id) }
    }

    @Test func anInsertOfAnUnknownClassLeavesNothingBehind() throws {
        let library = try TestLibrary()
        let context = library.context()
        let error = #expect(throws: ObjectError.self) { try context.insert(Book.self) }
        #expect(error?.code == .unknown)
        #expect(!context.hasChanges)
    }

    @Test func aDeletedObjectTakesNoEdits() throws {
        let library = try TestLibrary()
        let context = library.context()
        let author = try context.make("Author", "Ana")
        try context.save()
        try context.delete(author)
        #expect(throws: ObjectError.self) { try author.set("name", to: .string("Anne")) }
    }
}
