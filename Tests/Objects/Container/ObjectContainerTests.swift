import Foundation
import Objects
import Replica
import RoostModel
import TestSupport
import Testing

/// One line opens, creates or migrates a file, and gives contexts.
@Suite struct ObjectContainerTests {
    private static func names(_ container: ObjectContainer) throws -> [String] {
        try container.newBackgroundContext().fetch(FetchRequest<ManagedObject>("Author")).map(\.label).sorted()
    }

    private static func add(_ name: String, to container: ObjectContainer) throws {
        let context = container.newBackgroundContext()
        try context.make("Author", name)
        try context.save()
    }

    @Test func aFileIsCreatedAndThenOpened() throws {
        let library = try TestLibrary()
        let path = library.path("new.roost")
        let first = try ObjectContainer(LibrarySchema.self, at: path, identifiers: .tested, durability: .normal)
        #expect(first.replica?.schema.version == 1)
        try Self.add("Ana", to: first)
        // Another program may have the file open.
        let second = try ObjectContainer(LibrarySchema.self, at: path, durability: .normal)
        #expect(try Self.names(second) == ["Ana"])
        #expect(second.replica?.identifiers == .tested)
    }

    @Test func aFileOfAnEarlierVersionIsMigrated() throws {
        let library = try TestLibrary()
        let path = library.path("old.roost")
        try Self.add("Ana", to: ObjectContainer(LibrarySchema.self, at: path, identifiers: .tested))
        let container = try ObjectContainer(LaterLibrarySchema.self, at: path)
        #expect(container.replica?.schema.version == 2)
        let author = try #require(
            try container.newBackgroundContext().fetch(FetchRequest<ManagedObject>("Author")).first as? LaterAuthor)
        #expect(author.name == "Ana" && author.currency == "EUR")
        // The earlier program finds everything that it knows.
        #expect(try Self.names(ObjectContainer(LibrarySchema.self, at: path)) == ["Ana"])
    }

    @Test func aPlanWithCodeMigrates() throws {
        let library = try TestLibrary()
        let path = library.path("old.roost")
        try Self.add("Ana", to: ObjectContainer(LibrarySchema.self, at: path, identifiers: .tested))
        let plan = try MigrationPlan([
            .inferred(LibrarySchema.schema()),
            .custom(LaterLibrarySchema.schema()) { step in
                try step.forEach("Author") { id, _ in
                    try step.transaction.put("Author", id: id, ["currency": .string("CHF")])
                }
            },
        ])
        let container = try ObjectContainer(LaterLibrarySchema.self, at: path, migrating: plan)
        let values = try container.newBackgroundContext().fetchValues(
            FetchRequest<ManagedObject>("Author"), ["currency"])
        #expect(values == [[.string("CHF")]])
    }

    @Test func aPlanOfAnotherVersionIsRefused() throws {
        let library = try TestLibrary()
        let path = library.path("new.roost")
        let plan = MigrationPlan(to: try LibrarySchema.schema())
        let error = #expect(throws: ObjectError.self) {
            try ObjectContainer(LaterLibrarySchema.self, at: path, migrating: plan)
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains("ends with version 1, and the classes are of version 2") == true)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func aFileOfAnotherSchemaIsRefused() throws {
        let library = try TestLibrary()
        let error = #expect(throws: ReplicaError.self) {
            try ObjectContainer(SamplesSchema.self, at: library.replica.path)
        }
        #expect(error?.code == .cannotMigrate)
        #expect(error?.message.contains("\"library\", and not \"samples\"") == true, "\(error?.message ?? "")")
    }

    @Test func aFileThatIsNoReplicaIsLeftAlone() throws {
        let library = try TestLibrary()
        let path = library.path("notes.txt")
        try "mine".write(toFile: path, atomically: true, encoding: .utf8)
        let error = #expect(throws: ReplicaError.self) { try ObjectContainer(LibrarySchema.self, at: path) }
        #expect(error?.code == .notAReplica)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
    }

    /// The log of a moved file must not be removed, and the container says why it makes no file.
    @Test func theLogOfAnotherFileIsLeftAlone() throws {
        let library = try TestLibrary()
        let path = library.path("moved.roost")
        try "log".write(toFile: path + "-wal", atomically: true, encoding: .utf8)
        let error = #expect(throws: ReplicaError.self) { try ObjectContainer(LibrarySchema.self, at: path) }
        #expect(error?.code == .exists)
        #expect(FileManager.default.fileExists(atPath: path + "-wal"))
    }

    @Test func storesOfAnyKindAreUsed() throws {
        let library = try TestLibrary()
        let schema = try LibrarySchema.schema()
        let stores: [StoreKind] = [.document(at: library.path("a.xml"), schema, .xml), .replica(library.replica)]
        let container = try ObjectContainer(LibrarySchema.self, stores: stores)
        #expect(container.replica == nil && container.coordinator.stores.count == 2)
        try Self.add("Ana", to: container)
        #expect(try Self.names(ObjectContainer(LibrarySchema.self, stores: [stores[0]])) == ["Ana"])
        let later = #expect(throws: ObjectError.self) { try ObjectContainer(LaterLibrarySchema.self, stores: stores) }
        #expect(later?.code == .schemaMismatch)
    }

    @Test func subclassesReplaceGeneratedClasses() throws {
        let container = try ObjectContainer(inMemory: LibrarySchema.self, subclasses: [CheckedBook.self])
        #expect(try container.newBackgroundContext().insert("Book") is CheckedBook)
    }

    /// Classes of an earlier generator do not name their schema. The container does.
    @Test func classesThatNameNoSchemaAreChecked() throws {
        enum Older: SchemaSource {
            static let version = 2
            static let text = LaterLibrarySchema.text
            static let classes: [ManagedObject.Type] = [OlderAuthor.self]
        }
        let schema = try LibrarySchema.schema()
        let error = #expect(throws: ObjectError.self) { try ObjectContainer(Older.self, stores: [.inMemory(schema)]) }
        #expect(error?.code == .schemaMismatch)
    }

    // MARK: Contexts

    @Test(.timeLimit(.minutes(1))) @MainActor func theViewContextFollowsOthers() async throws {
        let container = try ObjectContainer(inMemory: LibrarySchema.self)
        #expect(container.viewContext === container.viewContext)
        let list = try FetchedResultsController(FetchRequest<ManagedObject>("Author"), in: container.viewContext)
        let (steps, continuation) = AsyncStream.makeStream(of: Int.self)
        list.onUpdate = { continuation.yield($0.snapshot.rowCount) }
        try list.performFetch()
        let count = try await container.performBackgroundTask { context in
            for name in ["Ana", "Bob"] { try context.insert(Author.self).name = name }
            return try context.save("add authors").inserted.count
        }
        #expect(count == 2)
        var heard = steps.makeAsyncIterator()
        #expect(await heard.next() == 2)
        try Self.add("Cleo", to: container)
        #expect(await heard.next() == 3)
    }

    @Test func aBackgroundContextBelongsToAnActor() async throws {
        actor Importer {
            private let context: ObjectContext

            init(_ context: sending ObjectContext) { self.context = context }

            func add(_ name: String) throws {
                try context.insert(Author.self).name = name
                try context.save()
            }
        }
        let container = try ObjectContainer(inMemory: LibrarySchema.self)
        let importer = Importer(container.newBackgroundContext())
        try await importer.add("Ana")
        #expect(try Self.names(container) == ["Ana"])
    }

    @Test func whatABackgroundTaskDoesNotSaveIsDiscarded() async throws {
        struct Stop: Error {}
        let container = try ObjectContainer(inMemory: LibrarySchema.self)
        try await container.performBackgroundTask { _ = try $0.make("Author", "Ana") }
        await #expect(throws: Stop.self) {
            try await container.performBackgroundTask { context in
                try context.make("Author", "Bob")
                throw Stop()
            }
        }
        #expect(try Self.names(container).isEmpty)
    }

    /// Following does not keep the container and its stores alive.
    @Test(.timeLimit(.minutes(1))) @MainActor func aContainerEnds() async throws {
        weak var ended: StoreCoordinator?
        do {
            let container = try ObjectContainer(inMemory: LibrarySchema.self)
            ended = container.coordinator
            _ = container.viewContext
            await Task.yield()
        }
        while ended != nil { await Task.yield() }
    }
}

private final class OlderAuthor: ManagedObject {
    override class var entityName: String { "Author" }
}
