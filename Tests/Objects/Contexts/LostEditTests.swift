import Objects
import Replica
import RoostModel
import Testing

/// Edits that an operation without `throws` could not make. A save throws until each of them is replaced.
@Suite struct LostEditTests {
    /// An edit that fails, because the other object is of another context or the value has another type.
    enum Edit: CaseIterable {
        case attribute, optional, reference, addition, removal, link, unlink

        /// Makes the edit without success.
        func fail(_ stage: Stage) {
            switch self {
            case .attribute: stage.book[attribute: 2] = "many"
            case .optional: stage.book[optional: 3] = "best" as String?
            case .reference: stage.book.author = stage.strangers.author
            case .addition: stage.author.addToBooks(stage.strangers.book)
            case .removal: stage.author.removeFromBooks(stage.strangers.book)
            case .link: stage.book.addToTags(stage.strangers.tag)
            case .unlink: stage.book.removeFromTags(stage.strangers.tag)
            }
        }

        /// Makes the edit with an object of the same context, or with a value of the same type. An attribute gets the value that
        /// it has.
        func correct(_ stage: Stage) throws {
            switch self {
            case .attribute: stage.book.pages = 0
            case .optional: stage.book.rating = nil
            case .reference: stage.book.author = nil
            case .addition: stage.author.addToBooks(try stage.own(stage.strangers.book))
            case .removal: stage.author.removeFromBooks(try stage.own(stage.strangers.book))
            case .link: stage.book.addToTags(try stage.own(stage.strangers.tag))
            case .unlink: stage.book.removeFromTags(try stage.own(stage.strangers.tag))
            }
        }

        /// Makes the edit from the other side of the relationship, or by the name of the property.
        func correctOtherwise(_ stage: Stage) throws {
            switch self {
            case .attribute: try stage.book.set("pages", to: .integer(7))
            case .optional: try stage.book.set("rating", to: .null)
            case .reference: stage.author.addToBooks(stage.book)
            case .addition: try stage.own(stage.strangers.book).author = stage.author
            case .removal: try stage.author.remove(stage.own(stage.strangers.book), from: "books")
            case .link: stage.book.addToTags(try stage.own(stage.strangers.tag))
            case .unlink: try stage.own(stage.strangers.tag).removeFromBooks(stage.book)
            }
        }
    }

    /// An author and a book of a context, and objects of another context, all of them saved.
    final class Stage {
        let library: TestLibrary
        let context: ObjectContext
        let author: Author
        let book: Book
        let other: ObjectContext
        let strangers: (author: Author, book: Book, tag: Tag)

        init() throws {
            library = try TestLibrary(classes: LibrarySchema.classes)
            (context, other) = (library.context(), library.context())
            author = try context.insert(Author.self)
            author.name = "Ana"
            book = try context.insert(Book.self)
            book.title = "A"
            strangers = (try other.insert(Author.self), try other.insert(Book.self), try other.insert(Tag.self))
            strangers.author.name = "Bob"
            strangers.book.title = "B"
            strangers.tag.name = "t"
            try context.save()
            try other.save()
        }

        /// Returns the context's own object of the same record.
        func own<Object: ManagedObject>(_ object: Object) throws -> Object {
            try #require(try context.object(with: object.objectID) as? Object)
        }
    }

    /// Two books get an author of another context. A save names both, then the one that is not corrected.
    @Test func aSaveNamesEveryLostEditUntilEachIsCorrected() throws {
        let stage = try Stage()
        let (context, first) = (stage.context, stage.book)
        let second = try context.insert(Book.self)
        second.title = "C"
        first.author = stage.strangers.author
        second.author = stage.strangers.author
        var error = #expect(throws: ObjectError.self) { try context.save() }
        #expect(error?.code == .foreignObject)
        #expect(error?.problems.count == 2)
        #expect(error?.problems.first?.contains(first.nameInMessages) == true)
        #expect(error?.problems.last?.contains(second.nameInMessages) == true)
        first.author = stage.author
        for _ in 0..<2 {
            error = #expect(throws: ObjectError.self) { try context.save() }
            #expect(error?.message.contains(second.nameInMessages) == true)
            #expect(error?.problems == [])
        }
        #expect(try stage.library.count("book") == 2)
        second.author = stage.author
        try context.save()
        #expect(try stage.library.count("book", "author IS NOT NULL") == 2)
    }

    @Test(arguments: Edit.allCases) func aLostEditIsThrownByEverySave(_ edit: Edit) throws {
        let stage = try Stage()
        let context = stage.context
        stage.author.name = "Anne"
        edit.fail(stage)
        let failure = try #require(context.failure)
        for _ in 0..<3 {
            let error = #expect(throws: ObjectError.self) { try context.save() }
            #expect(error == failure)
        }
        #expect(try stage.library.count("author", "name = 'Anne'") == 0)
        try edit.correct(stage)
        #expect(context.failure == nil)
        try context.save()
        #expect(try stage.library.count("author", "name = 'Anne'") == 1)
    }

    @Test(arguments: Edit.allCases) func theOtherSideAndTheNameOfAPropertyCorrectToo(_ edit: Edit) throws {
        let stage = try Stage()
        edit.fail(stage)
        #expect(stage.context.failure != nil)
        try edit.correctOtherwise(stage)
        #expect(stage.context.failure == nil)
        try stage.context.save()
    }

    /// A program that saves only where there are changes does not miss a lost edit.
    @Test(arguments: Edit.allCases) func aLostEditIsAChange(_ edit: Edit) throws {
        let stage = try Stage()
        edit.fail(stage)
        #expect(stage.context.hasChanges)
        stage.context.rollback()
        #expect(!stage.context.hasChanges && stage.context.failure == nil)
        try stage.context.save()
    }

    @Test(arguments: Edit.allCases) func aLostEditMayBeAccepted(_ edit: Edit) throws {
        let stage = try Stage()
        edit.fail(stage)
        stage.author.name = "Anne"
        stage.context.discardFailures()
        try stage.context.save()
        #expect(try stage.library.count("author", "name = 'Anne'") == 1)
    }

    /// Another edit of the same object, and an edit of another member, correct nothing.
    @Test func onlyTheSamePropertyCorrects() throws {
        let stage = try Stage()
        stage.book.author = stage.strangers.author
        stage.author.addToBooks(stage.strangers.book)
        stage.book.title = "A2"
        stage.author.addToBooks(try stage.context.insert(Book.self))
        #expect(stage.context.failure?.problems.count == 2)
    }

    @Test func whatCouldNotBeAddedIsTakenBack() throws {
        let stage = try Stage()
        stage.author.addToBooks(stage.strangers.book)
        stage.author.removeFromBooks(stage.strangers.book)
        #expect(stage.context.failure == nil)
        stage.author.removeFromBooks(stage.strangers.book)
        stage.author.removeFromBooks(stage.strangers.book)
        #expect(stage.context.failure?.code == .foreignObject)
        stage.author.addToBooks(stage.strangers.book)
        #expect(stage.context.failure?.code == .foreignObject)
    }

    /// The object of the edit may end before the edit is corrected, because it has no changes.
    @Test func anObjectThatNobodyHoldsKeepsItsFailure() throws {
        let stage = try Stage()
        let context = stage.library.context()
        try #require(try context.object(with: stage.book.objectID) as? Book).author = stage.author
        #expect(throws: ObjectError.self) { try context.save() }
        #expect(throws: ObjectError.self) { try context.save() }
        try #require(try context.object(with: stage.book.objectID) as? Book).author = nil
        try context.save()
    }

    // MARK: Deletes

    @Test(arguments: [false, true]) func aDeleteOfTheObjectEndsItsFailure(_ isNew: Bool) throws {
        let stage = try Stage()
        let book = isNew ? try stage.context.insert(Book.self) : stage.book
        book.author = stage.strangers.author
        try stage.context.delete(book)
        try stage.context.save()
        #expect(stage.context.failure == nil)
        #expect(try stage.library.count("book", "title = 'A'") == (isNew ? 1 : 0))
    }

    @Test func aDeleteThatIsUndoneEndsNoFailure() throws {
        let stage = try Stage()
        stage.context.undoHistory = UndoHistory()
        stage.book.author = stage.strangers.author
        try stage.context.group("delete") { try stage.context.delete(stage.book) }
        try stage.context.undo()
        #expect(throws: ObjectError.self) { try stage.context.save() }
    }

    /// Nothing can replace an edit of an object that does not exist, so one save throws it.
    @Test(arguments: [false, true]) func anEditOfADeletedObjectIsThrownOnce(_ isElsewhere: Bool) throws {
        let stage = try Stage()
        let context = stage.context
        if isElsewhere {
            try stage.library.deleteElsewhere(stage.book.objectID)
            try context.refresh()
        } else {
            try context.delete(stage.book)
        }
        stage.book.title = "A2"
        stage.author.name = "Anne"
        let error = #expect(throws: ObjectError.self) { try context.save() }
        #expect(error?.message.contains("was deleted") == true)
        try context.save()
        #expect(try stage.library.count("author", "name = 'Anne'") == 1)
    }

    @Test func anEditIsThrownOnceAfterItsObjectWasDeletedElsewhere() throws {
        let stage = try Stage()
        stage.book.author = stage.strangers.author
        try stage.library.deleteElsewhere(stage.book.objectID)
        try stage.context.refresh()
        #expect(throws: ObjectError.self) { try stage.context.save() }
        try stage.context.save()
    }

    // MARK: With other problems

    @Test func validationIsNamedWithLostEdits() throws {
        let stage = try Stage()
        stage.book.author = stage.strangers.author
        stage.author[attribute: 1] = 7 as Int64
        try stage.context.insert(Author.self)
        let error = #expect(throws: ObjectError.self) { try stage.context.save() }
        #expect(error?.code == .foreignObject)
        #expect(error?.message == "Cannot save, for 3 reasons:")
        #expect(error?.problems.last?.contains("\"name\" has no value") == true)
    }

    /// A required reference that could not be set is one problem, not two.
    @Test func aRequiredReferenceIsNamedOnce() throws {
        let stage = try Stage()
        let note = try stage.context.insert(Note.self)
        note.text = "n"
        note.book = stage.strangers.book
        let error = #expect(throws: ObjectError.self) { try stage.context.save() }
        #expect(error?.code == .foreignObject && error?.problems == [])
    }

    /// A child context throws its own failures, and its parent is unchanged.
    @Test func aChildContextThrowsItsOwn() throws {
        let stage = try Stage()
        let form = ObjectContext(childOf: stage.context)
        let book = try #require(try form.object(with: stage.book.objectID) as? Book)
        book.title = "A2"
        book.author = stage.author
        for _ in 0..<2 { #expect(throws: ObjectError.self) { try form.save() } }
        #expect(stage.book.title == "A" && stage.context.failure == nil)
        book.author = try form.object(with: stage.author.objectID) as? Author
        try form.save()
        #expect(stage.book.title == "A2" && stage.book.author === stage.author)
    }

    // MARK: Single ends and orders

    @Test func eitherSideCorrectsASingleEnd() throws {
        let library = try OneToOneTests.registry()
        let (context, other) = (library.context(), library.context())
        let ana = try OneToOneTests.holder("Ana", in: context)
        let passport = try OneToOneTests.passport("1", in: context)
        let stranger = try OneToOneTests.passport("2", in: other)
        for isOtherSide in [false, true] {
            ana.passport = stranger
            for _ in 0..<2 { #expect(throws: ObjectError.self) { try context.save() } }
            if isOtherSide { passport.holder = ana } else { ana.passport = passport }
            try context.save()
            #expect(ana.passport === passport)
        }
    }

    /// A single end takes its object away from others. That is no edit of the program, and corrects none.
    @Test func takingAwayCorrectsNothing() throws {
        let library = try OneToOneTests.registry()
        let (context, other) = (library.context(), library.context())
        let (ana, bob) = (try OneToOneTests.holder("Ana", in: context), try OneToOneTests.holder("Bob", in: other))
        let (one, two) = (
            try OneToOneTests.passport("1", of: ana, in: context), try OneToOneTests.passport("2", in: context)
        )
        one.holder = bob
        ana.passport = two
        #expect(one.holder == nil)
        #expect(context.failure?.message.contains(one.nameInMessages) == true)
    }

    @Test func ordersLoseNoEdit() throws {
        let library = try OrderedRelationshipTests.library()
        let (context, other) = (library.context(), library.context())
        let volume = try OrderedRelationshipTests.volume("ab", in: context)
        let stranger = try OrderedRelationshipTests.chapter("x", in: other)
        try other.save()
        volume.moveInChapters(from: 2, to: 0)
        volume.insertIntoChapters(stranger, at: 0)
        for _ in 0..<2 {
            let error = #expect(throws: ObjectError.self) { try context.save() }
            #expect(error?.problems.count == 2)
        }
        volume.moveInChapters(from: 1, to: 0)
        #expect(context.failure?.code == .foreignObject && context.failure?.problems == [])
        volume.insertIntoChapters(try #require(try context.object(with: stranger.objectID) as? Chapter), at: 1)
        try context.save()
        #expect(OrderedRelationshipTests.titles(volume) == "bxa")
    }
}
