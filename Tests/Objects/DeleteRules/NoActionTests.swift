import Objects
import Replica
import RoostModel
import Testing

/// A reference with the rule `noAction` to a deleted record: its identifier reads as written, and there is no object.
@Suite struct NoActionTests {
    /// A note of a reader, whose identifier is known to the test.
    private struct Stage {
        let library: TestLibrary
        let context: ObjectContext
        let note: Note
        let reader: Reader

        init() throws {
            library = try TestLibrary(classes: LibrarySchema.classes)
            context = library.context()
            reader = try context.insert(Reader.self)
            reader.name = "r"
            let book = try context.insert(Book.self)
            book.title = "A"
            note = try context.insert(Note.self)
            (note.text, note.book, note.reader) = ("n", book, reader)
            try context.save()
        }

        /// Checks all that a program can read of the reference.
        func check(_ note: Note?, named isNamed: Bool = true) throws {
            let note = try #require(note)
            let id = isNamed ? reader.objectID : nil
            #expect(note.reader == nil)
            #expect(try note.object("reader") == nil)
            #expect(try note.objectID(of: "reader") == id)
            #expect(try note.value(of: "reader") == id.map { .data($0.record.bytes) } ?? .null)
            // For predicates and orders the reference leads to no object.
            let context = try #require(note.context)
            #expect(try context.fetch(FetchRequest<Note>(where: FetchPredicate(format: "reader == nil"))) == [note])
            #expect(try context.fetch(FetchRequest<Note>(where: FetchPredicate(format: "reader.name == 'r'"))).isEmpty)
            #expect(try context.fetchValues(FetchRequest<Note>(), ["reader.name"]) == [[.null]])
        }
    }

    @Test func theIdentifierReadsAsWritten() throws {
        let stage = try Stage()
        let (context, note) = (stage.context, stage.note)
        context.undoHistory = UndoHistory()
        try context.group("delete") { try context.delete(stage.reader) }
        try stage.check(note)
        try context.save()
        try stage.check(note)
        #expect(!note.hasChanges)
        try context.refresh()
        try stage.check(note)
        let other = stage.library.context()
        try stage.check(try other.object(with: note.objectID) as? Note)
        let child = ObjectContext(childOf: other)
        try stage.check(try child.object(with: note.objectID) as? Note)
        #expect(try stage.library.count("note", "reader IS NOT NULL") == 1)
        try context.undo()
        #expect(note.reader?.objectID == stage.reader.objectID)
    }

    /// A property that reads nil may be set to nil: the record names nothing then.
    @Test func settingNilEndsTheReference() throws {
        let stage = try Stage()
        try stage.context.delete(stage.reader)
        try stage.context.save()
        stage.note.reader = nil
        #expect(stage.note.hasChanges)
        try stage.context.save()
        try stage.check(stage.note, named: false)
        try stage.context.undelete(Reader.self, id: stage.reader.objectID.record)
        try stage.context.save()
        #expect(stage.note.reader == nil)
    }

    /// The object is there again as soon as the context has read it.
    @Test(arguments: [false, true]) func theObjectComesBackWithItsRecord(_ isFetched: Bool) throws {
        let stage = try Stage()
        try stage.context.delete(stage.reader)
        try stage.context.save()
        let context = stage.library.context()
        let note = try #require(try context.object(with: stage.note.objectID) as? Note)
        try stage.check(note)
        try stage.context.undelete(Reader.self, id: stage.reader.objectID.record)
        try stage.context.save()
        let found: Reader?
        if isFetched {
            found = try context.fetch(FetchRequest<Reader>()).first
        } else {
            found = try context.object(Reader.self, id: stage.reader.objectID.record)
        }
        #expect(found != nil && note.reader === found)
    }
}
