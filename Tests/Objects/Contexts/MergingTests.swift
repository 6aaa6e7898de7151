import Objects
import Replica
import RoostModel
import Testing

/// Two contexts, or a context and another program, change the same records.
@Suite struct MergingTests {
    private struct Pair {
        let library: TestLibrary
        let one: ObjectContext
        let two: ObjectContext
        let mine: ManagedObject
        let theirs: ManagedObject

        init() throws {
            library = try TestLibrary()
            one = library.context()
            two = library.context()
            mine = try one.make("Book", "A")
            try one.save()
            theirs = try #require(try two.object(with: mine.objectID))
        }
    }

    @Test func editsOfDifferentPropertiesBothStay() throws {
        let pair = try Pair()
        try pair.theirs.set("pages", to: .integer(9))
        try pair.two.save()
        try pair.mine.set("title", to: .string("B"))
        let report = try pair.one.save()
        #expect(report.conflicts.isEmpty)
        #expect(try pair.mine.value(of: "pages") == .integer(9))
        #expect(try pair.library.count("book", "title = 'B' AND pages = 9") == 1)
    }

    @Test func aFetchOfOthersNewObjectsShowsThemInListsToo() throws {
        let library = try TestLibrary()
        let (one, two) = (library.context(), library.context())
        let author = try one.make("Author", "Ana")
        try one.make("Book", "A", ["author": author])
        try one.save()
        #expect(try author.objects("books").map(\.label) == ["A"])
        try two.make("Book", "B", ["author": #require(try two.object(with: author.objectID))])
        try two.save()
        #expect(try author.objects("books").map(\.label) == ["A"])
        #expect(try one.fetch(FetchRequest<ManagedObject>("Book")).count == 2)
        #expect(try author.objects("books").map(\.label) == ["A", "B"])
    }

    @Test func mineStaysAndIsSaid() throws {
        let pair = try Pair()
        try pair.theirs.set("title", to: .string("T"))
        try pair.two.save()
        try pair.mine.set("title", to: .string("M"))
        let report = try pair.one.save()
        #expect(report.conflicts == [.init(pair.mine.objectID, .keptMine(["title"]))])
        #expect(try pair.library.count("book", "title = 'M'") == 1)
    }

    @Test func theirsIsTakenAndIsSaid() throws {
        let pair = try Pair()
        try pair.theirs.set("title", to: .string("T"))
        try pair.two.save()
        pair.one.mergePolicy = .takeTheirs
        try pair.mine.set("title", to: .string("M"))
        try pair.mine.set("pages", to: .integer(3))
        let report = try pair.one.save()
        #expect(report.conflicts == [.init(pair.mine.objectID, .tookTheirs(["title"]))])
        #expect(pair.mine.label == "T")
        #expect(try pair.library.count("book", "title = 'T' AND pages = 3") == 1)
    }

    @Test func askRefusesTheSaveAndKeepsTheEdits() throws {
        let pair = try Pair()
        try pair.theirs.set("title", to: .string("T"))
        try pair.two.save()
        pair.one.mergePolicy = .ask
        try pair.mine.set("title", to: .string("M"))
        let error = #expect(throws: ObjectError.self) { try pair.one.save() }
        #expect(error?.code == .conflict)
        #expect(error?.problems.count == 1)
        #expect(pair.mine.label == "M")
        #expect(try pair.library.count("book", "title = 'T'") == 1)
        pair.one.mergePolicy = .keepMine
        try pair.one.save()
        #expect(try pair.library.count("book", "title = 'M'") == 1)
    }

    @Test func editsBringBackWhatWasDeletedElsewhere() throws {
        let pair = try Pair()
        try pair.theirs.set("pages", to: .integer(9))
        try pair.two.delete(pair.theirs)
        try pair.two.save()
        try pair.mine.set("title", to: .string("M"))
        let report = try pair.one.save()
        #expect(report.conflicts == [.init(pair.mine.objectID, .broughtBack)])
        #expect(try pair.library.count("book", "title = 'M'") == 1)
    }

    @Test func editsOfWhatWasDeletedElsewhereAreGivenUp() throws {
        let pair = try Pair()
        try pair.two.delete(pair.theirs)
        try pair.two.save()
        pair.one.mergePolicy = .takeTheirs
        try pair.mine.set("title", to: .string("M"))
        let report = try pair.one.save()
        #expect(report.conflicts == [.init(pair.mine.objectID, .gaveUpEdits)])
        #expect(pair.mine.isDeleted)
        #expect(try pair.library.count("book") == 0)
    }

    @Test func editsUnderAParentDeletedElsewhereAreWrittenAndHidden() throws {
        let library = try TestLibrary()
        let (one, two) = (library.context(), library.context())
        let author = try one.make("Author", "Ana")
        let book = try one.make("Book", "A", ["author": author])
        try one.save()
        try two.delete(try #require(try two.object(with: author.objectID)))
        try two.save()
        try book.set("title", to: .string("M"))
        let report = try one.save()
        #expect(report.conflicts == [.init(book.objectID, .staysHidden)])
        #expect(book.isDeleted)
        try library.replica.write("bring it back") { try $0.undelete("Author", id: author.objectID.record) }
        #expect(try library.count("book", "title = 'M'") == 1)
    }

    @Test func aDeleteMeetsAnEdit() throws {
        let pair = try Pair()
        try pair.theirs.set("title", to: .string("T"))
        try pair.two.save()
        pair.one.mergePolicy = .takeTheirs
        try pair.one.delete(pair.mine)
        let report = try pair.one.save()
        #expect(report.conflicts == [.init(pair.mine.objectID, .gaveUpDelete)])
        #expect(!pair.mine.isDeleted)
        #expect(pair.mine.label == "T")
        pair.one.mergePolicy = .keepMine
        try pair.one.delete(pair.mine)
        try pair.one.save()
        #expect(try pair.library.count("book") == 0)
    }

    @Test func refreshTakesInWhatOthersSaved() throws {
        let pair = try Pair()
        try pair.library.replica.write("by hand") {
            try $0.put("Book", id: pair.mine.objectID.record, ["title": .string("T")])
        }
        try pair.mine.set("pages", to: .integer(4))
        let report = try pair.one.refresh()
        #expect(report.changed == [pair.mine.objectID])
        #expect(pair.mine.label == "T")
        #expect(pair.mine.changedValues == ["pages": .integer(4)])
    }

    @Test func refreshFindsWhatIsGone() throws {
        let pair = try Pair()
        try pair.two.delete(pair.theirs)
        try pair.two.save()
        #expect(try pair.one.refresh().gone == [pair.mine.objectID])
        #expect(pair.mine.isDeleted)
    }

    @Test func refreshedListsShowNewMembers() throws {
        let library = try TestLibrary()
        let (one, two) = (library.context(), library.context())
        let author = try one.make("Author", "Ana")
        try one.save()
        #expect(try author.objects("books").isEmpty)
        try two.make("Book", "A", ["author": try #require(try two.object(with: author.objectID))])
        try two.save()
        try one.refresh()
        #expect(try author.objects("books").map(\.label) == ["A"])
    }

    // MARK: Child contexts

    @Test func aChildSavesIntoItsParentOnly() throws {
        let library = try TestLibrary()
        let parent = library.context()
        let author = try parent.make("Author", "Ana")
        let child = ObjectContext(childOf: parent)
        let mine = try #require(try child.object(with: author.objectID))
        try mine.set("name", to: .string("Anne"))
        let book = try child.make("Book", "A", ["author": mine])
        #expect(author.label == "Ana")
        #expect(try author.objects("books").isEmpty)
        try child.save()
        #expect(author.label == "Anne")
        #expect(try author.objects("books").map(\.objectID) == [book.objectID])
        #expect(try library.count("author") == 0)
        try parent.save()
        #expect(try library.count("book") == 1)
    }

    @Test func aChildSeesWhatItsParentDeleted() throws {
        let library = try TestLibrary()
        let parent = library.context()
        let author = try parent.make("Author", "Ana")
        let book = try parent.make("Book", "A", ["author": author])
        try parent.save()
        try parent.delete(author)
        #expect(try ObjectContext(childOf: parent).object(with: book.objectID) == nil)
    }

    @Test func aChildThatIsDroppedLeavesNoTrace() throws {
        let library = try TestLibrary()
        let parent = library.context()
        let author = try parent.make("Author", "Ana")
        try parent.save()
        do {
            let child = ObjectContext(childOf: parent)
            try child.delete(try #require(try child.object(with: author.objectID)))
        }
        #expect(!parent.hasChanges)
        #expect(!author.isDeleted)
    }

    @Test func aChildDeletesInItsParent() throws {
        let library = try TestLibrary()
        let parent = library.context()
        let author = try parent.make("Author", "Ana")
        let book = try parent.make("Book", "A", ["author": author])
        try parent.save()
        let child = ObjectContext(childOf: parent)
        try child.delete(try #require(try child.object(with: author.objectID)))
        try child.save()
        #expect(author.isDeleted)
        #expect(book.isDeleted)
        try parent.save()
        #expect(try library.count("author") == 0)
    }
}

extension SaveReport.Conflict {
    fileprivate init(_ id: ObjectID, _ outcome: Outcome) { self.init(objectID: id, outcome: outcome) }
}
