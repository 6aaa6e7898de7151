import Objects
import Replica
import RoostModel
import Testing

@Suite struct BatchTests {
    private func filled() throws -> (TestLibrary, ObjectContext) {
        let library = try TestLibrary()
        let context = library.context()
        let author = try context.make("Author", "Ana")
        for (pages, title) in ["Été", "été", "Hiver"].enumerated() {
            let book = try context.make("Book", title, ["author": author])
            try book.set("pages", to: .integer(Int64(pages)))
        }
        try context.save()
        return (library, context)
    }

    private func books(_ format: String) throws -> FetchRequest<ManagedObject> {
        FetchRequest("Book", where: try FetchPredicate(format: format))
    }

    @Test func anUpdateIsTrackedAndRefreshesObjects() throws {
        let (library, context) = try filled()
        let book = try #require(try context.fetch(books("pages == 1")).first)
        let changed = try context.updateAll(books("title CONTAINS[cd] 'ete'"), ["lent": .boolean(true)])
        #expect(changed == 2)
        #expect(try book.value(of: "lent") == .boolean(true))
        #expect(!context.hasChanges)
        #expect(try library.count("book", "lent = 1") == 2)
        #expect(try context.updateAll(books("title CONTAINS[cd] 'ete'"), ["lent": .boolean(true)]) == 0)
    }

    @Test func aDeleteAppliesTheDeleteRules() throws {
        let (library, context) = try filled()
        let removed = try context.deleteAll(FetchRequest<ManagedObject>("Author"))
        #expect(removed == 1)
        #expect(try library.count("book") == 0)
        #expect(try library.replica.deleted().count == 1)
    }

    @Test func aRecordThatHiddenOnesHoldIsNotCounted() throws {
        let library = try TestLibrary()
        let context = library.context()
        let author = try context.make("Author", "Ana")
        try context.make("Book", "A", ["author": author, "series": context.make("Series", "held")])
        try context.make("Series", "free")
        try context.save()
        try context.delete(author)
        try context.save()
        #expect(try context.deleteAll(FetchRequest<ManagedObject>("Series")) == 1)
        #expect(try library.count("series") == 1)
    }

    @Test func aDeleteThatIsHeldBackChangesNothing() throws {
        let library = try TestLibrary()
        let context = library.context()
        try context.make("Series", "free")
        try context.make("Book", "A", ["series": try context.make("Series", "held")])
        try context.save()
        let error = #expect(throws: ObjectError.self) { try context.deleteAll(FetchRequest<ManagedObject>("Series")) }
        #expect(error?.code == .denied)
        #expect(try library.count("series") == 2)
    }

    @Test func aTreeIsDeletedWhole() throws {
        let library = try TestLibrary()
        let context = library.context()
        let root = try context.make("Folder", "root")
        try context.make("Folder", "leaf", ["parent": root])
        try context.save()
        #expect(try context.deleteAll(FetchRequest<ManagedObject>("Folder")) == 2)
        #expect(try library.count("folder") == 0)
    }

    @Test(arguments: [
        ("pages", Value.string("x"), "a whole number"), ("pages", .null, "must have a value"),
        ("author", .data([1]), "16 bytes"), ("nothing", .null, "has no property"),
    ])
    func whatDoesNotFitIsRefused(_ name: String, _ value: Value, _ reason: String) throws {
        let (library, context) = try filled()
        defer { _ = library }
        let error = #expect(throws: ObjectError.self) { try context.updateAll(books("TRUEPREDICATE"), [name: value]) }
        #expect(error?.message.contains(reason) == true)
    }

    /// Triggers of a crafted file run on the writing connection, so no function of a predicate may be left there.
    @Test func noFunctionIsLeftOnTheWriter() throws {
        let (library, context) = try filled()
        try context.updateAll(books("title CONTAINS[cd] 'ete'"), ["lent": .boolean(true)])
        let left = try library.replica.write("look") { transaction in
            try transaction.database.query("SELECT count(*) FROM pragma_function_list WHERE name LIKE 'roost%'").first {
                $0.integer(0)
            }
        }
        #expect(left == 0)
    }
}
