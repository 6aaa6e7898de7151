import Objects
import Replica
import RoostModel
import Testing

/// All kinds of stores have the same behaviour.
@Suite struct StoreKindTests {
    enum Kind: CaseIterable {
        case replica, inMemory, xml, binary

        /// Whether another coordinator can open the store again.
        var outlivesItsCoordinator: Bool { self != .inMemory }

        /// - Parameter library: The library in whose folder the store is.
        func store(in library: TestLibrary) -> StoreKind {
            let schema = library.replica.schema
            return switch self {
            case .replica: .replica(library.replica)
            case .inMemory: .inMemory(schema)
            case .xml: .document(at: library.path("a.xml"), schema, .xml)
            case .binary: .document(at: library.path("a.bin"), schema, .binary)
            }
        }

        func coordinator(in library: TestLibrary) throws -> StoreCoordinator {
            try StoreCoordinator([store(in: library)], classes: LibrarySchema.classes)
        }
    }

    /// Makes a coordinator of one store, and the library that owns its file.
    private func coordinator(_ kind: Kind) throws -> (StoreCoordinator, TestLibrary) {
        let library = try TestLibrary()
        return (try kind.coordinator(in: library), library)
    }

    /// A program that uses only its coordinator observes the same with each kind of store.
    @Test func aProgramDoesTheSameInEachKind() throws {
        var told: [[String]] = []
        for kind in Kind.allCases {
            let (coordinator, library) = try coordinator(kind)
            let program = LibraryProgram(coordinator)
            try program.run()
            if kind.outlivesItsCoordinator {
                let again = LibraryProgram(try kind.coordinator(in: library))
                #expect(try again.contents() == program.contents(), "\(kind), opened again")
            }
            told.append(program.told)
            #expect(program.told == told[0], "\(kind)")
        }
        #expect(told[0].count == 26)
    }

    @Test(arguments: Kind.allCases) func deleteRulesAndUndeleteHold(_ kind: Kind) throws {
        let (coordinator, library) = try coordinator(kind)
        defer { _ = library }
        let context = ObjectContext(coordinator)
        context.undoHistory = UndoHistory()
        let author = try context.make("Author", "Ana")
        let shelf = try context.make("Shelf", "s")
        let series = try context.make("Series", "x")
        let book = try context.make("Book", "A", ["author": author, "shelf": shelf, "series": series])
        try context.save()
        try context.delete(series)
        #expect(throws: ObjectError.self) { try context.save() }
        context.rollback()
        try context.delete(author)
        try context.delete(shelf)
        try context.save()
        #expect(try context.liveness(of: book.objectID) == .hidden(because: author.objectID))
        try context.undo()
        try context.save()
        let other = ObjectContext(coordinator)
        let again = try #require(try other.object(with: book.objectID))
        #expect(try again.object("shelf")?.objectID == shelf.objectID)
        #expect(
            try other.fetch(
                FetchRequest<ManagedObject>("Book", where: try FetchPredicate(format: "author.name LIKE[c] 'a*'"))) == [
                    again
                ])
        #expect(
            try other.updateAll(
                FetchRequest<ManagedObject>("Book", where: try FetchPredicate(format: "title LIKE[c] 'a'")),
                ["pages": .integer(3)]) == 1)
        #expect(try again.value(of: "pages") == .integer(3))
    }

    /// Equal edits give equal contents with each kind of store, also after undo and redo.
    @Test(arguments: 0..<6) func randomEditsComeOutAlike(_ seed: UInt64) throws {
        var outcomes: [[[String]]] = []
        for kind in Kind.allCases {
            let (coordinator, library) = try coordinator(kind)
            defer { _ = library }
            let context = ObjectContext(coordinator)
            var play = RandomEdits(seed: seed, context)
            try play.fill()
            try context.save()
            context.undoHistory = UndoHistory()
            for _ in 0..<8 {
                try context.group("edit") { try play.edit() }
                if play.chance(2) { try context.save() }
            }
            for _ in 0..<3 { try context.undo() }
            try context.redo()
            try context.save()
            outcomes.append(try RandomEdits(seed: seed, ObjectContext(coordinator)).labels())
            #expect(outcomes.last == outcomes[0], "\(kind)")
            guard kind.outlivesItsCoordinator else { continue }
            let again = ObjectContext(try kind.coordinator(in: library))
            #expect(try RandomEdits(seed: seed, again).labels() == outcomes[0], "\(kind), opened again")
        }
    }

    @Test func aStoreInMemoryEndsWithItsCoordinator() throws {
        let schema = try TestLibrary().replica.schema
        let coordinator = try StoreCoordinator([.inMemory(schema)])
        let context = ObjectContext(coordinator)
        try context.make("Author", "Ana")
        try context.save()
        #expect(try ObjectContext(coordinator).count(FetchRequest<ManagedObject>("Author")) == 1)
        #expect(
            try ObjectContext(try StoreCoordinator([.inMemory(schema)])).count(FetchRequest<ManagedObject>("Author"))
                == 0)
        #expect(coordinator.stores[0].replica == nil)
    }
}
