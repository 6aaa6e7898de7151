import Foundation
import Objects
import Replica
import RoostModel
import Testing

/// A save refuses records that a synchronisation would refuse and revert, in each kind of store.
@Suite struct RecordSizeTests {
    private static let large = Value.string(String(repeating: "x", count: 300_000))
    private static let half = String(repeating: "x", count: 150_000)

    /// A context in a folder of its own.
    private final class Home {
        let library: TestLibrary
        let coordinator: StoreCoordinator
        let context: ObjectContext

        init(_ kind: StoreKindTests.Kind) throws {
            library = try TestLibrary()
            coordinator = try kind.coordinator(in: library)
            context = ObjectContext(coordinator)
        }

        /// Returns the titles of all books that are stored.
        func titles() throws -> [Int] {
            try ObjectContext(coordinator).fetch(FetchRequest<ManagedObject>("Book")).map(\.label.utf8.count)
        }
    }

    @Test(arguments: StoreKindTests.Kind.allCases)
    func aRecordThatIsTooLargeIsNotSaved(_ kind: StoreKindTests.Kind) throws {
        let home = try Home(kind)
        let book = try home.context.make("Book", "A")
        try home.context.save()
        try book.set("title", to: Self.large)
        let error = #expect(throws: ObjectError.self) { try home.context.save() }
        #expect(error?.code == .validation)
        let facts = ["300026 bytes", "262144 (256 KiB)", "300000 of them in \"title\"", "Shorten it"]
        for fact in facts + [book.nameInMessages] {
            #expect(error?.message.contains(fact) == true, "\(fact) in \(error?.message ?? "")")
        }
        #expect(try home.titles() == [1])
        #expect(home.context.hasChanges)
        try book.set("title", to: .string(Self.half))
        try home.context.save()
        #expect(try home.titles() == [150_000])
    }

    @Test(arguments: StoreKindTests.Kind.allCases)
    func everyProblemIsNamedAtOnce(_ kind: StoreKindTests.Kind) throws {
        let home = try Home(kind)
        let one = try home.context.insert("Author")
        try one.set("name", to: Self.large)
        let two = try home.context.make("Book", Self.half)
        try two.set("extra", to: .string("\"\(Self.half)\""))
        let three = try home.context.insert("Shelf")
        let error = #expect(throws: ObjectError.self) { try home.context.save() }
        let problems = error?.problems ?? []
        #expect(problems.count == 3, "\(problems)")
        for (problem, object) in zip(problems, [one, two, three]) {
            #expect(problem.hasPrefix(object.nameInMessages), "\(problem)")
        }
    }

    /// The largest text with which an author is accepted: 14 bytes of a put are its frame.
    @Test(arguments: StoreKindTests.Kind.allCases) func theLimitIsExact(_ kind: StoreKindTests.Kind) throws {
        let home = try Home(kind)
        let author = try home.context.make("Author", String(repeating: "x", count: 256 * 1024 - 14))
        try home.context.save()
        try author.set("name", to: .string(String(repeating: "x", count: 256 * 1024 - 13)))
        #expect(throws: ObjectError.self) { try home.context.save() }
    }

    /// Each of two edits is small enough, and the record that they make together is not.
    @Test(arguments: StoreKindTests.Kind.allCases) func aMergedRecordIsChecked(_ kind: StoreKindTests.Kind) throws {
        let home = try Home(kind)
        let mine = try home.context.make("Book", "A")
        try home.context.save()
        let other = ObjectContext(home.coordinator)
        let theirs = try #require(try other.object(with: mine.objectID))
        try theirs.set("title", to: .string(Self.half))
        try other.save()
        try mine.set("extra", to: .string("\"\(Self.half)\""))
        let error = #expect(throws: ObjectError.self) { try home.context.save() }
        #expect(error?.code == .validation)
        #expect(error?.cause?.code == .tooLarge)
        #expect(error?.message.contains(mine.nameInMessages) == true, "\(error?.message ?? "")")
        let stored = try #require(try ObjectContext(home.coordinator).object(with: mine.objectID))
        #expect(try stored.value(of: "extra") == .null)
    }

    @Test(arguments: StoreKindTests.Kind.allCases) func anUpdateOfManyIsChecked(_ kind: StoreKindTests.Kind) throws {
        let home = try Home(kind)
        for title in ["A", "B"] { try home.context.make("Book", title) }
        try home.context.save()
        let error = #expect(throws: ObjectError.self) {
            try home.context.updateAll(FetchRequest<ManagedObject>("Book"), ["title": Self.large])
        }
        #expect(error?.code == .validation)
        #expect(try home.titles() == [1, 1])
    }

    @Test func aChildContextIsChecked() throws {
        let home = try Home(.inMemory)
        let form = ObjectContext(childOf: home.context)
        try form.insert("Author").set("name", to: Self.large)
        #expect(throws: ObjectError.self) { try form.save() }
        #expect(!home.context.hasChanges)
    }

    /// A document of an earlier program may contain a record that is too large. It is shown, and the next edit of it has to make
    /// it smaller.
    @Test func aDocumentWithALargeRecordIsOpened() throws {
        let library = try TestLibrary()
        let path = library.path("a.xml")
        let document = try ObjectDocument(library.replica.schema)
        try document.context.make("Author", "SMALL")
        try document.save(as: path, .xml)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try text.replacing("SMALL", with: String(repeating: "x", count: 300_000))
            .write(toFile: path, atomically: true, encoding: .utf8)
        let again = try ObjectDocument(opening: path, library.replica.schema)
        try again.context.make("Author", "Ana")
        try again.save()
        let request = FetchRequest<ManagedObject>("Author", where: try FetchPredicate(format: "name BEGINSWITH 'xx'"))
        let author = try #require(try again.context.fetch(request).first)
        try author.set("born", to: .string("1970-01-01"))
        #expect(throws: ObjectError.self) { try again.save() }
        try author.set("name", to: .string("Bob"))
        try again.save()
    }
}
