import Foundation
import Objects
import Replica
import RoostModel
import TestSupport
import Testing

/// A coordinator compares the version of its stores with that of the program's classes.
@Suite struct SchemaAgreementTests {
    /// Returns the library's schema of another version, with one text replaced.
    private static func library(_ version: Int, _ text: String = "", with other: String = "") throws -> Schema {
        let changed = text.isEmpty ? LibrarySchema.text : LibrarySchema.text.replacing(text, with: other)
        #expect(text.isEmpty || changed != LibrarySchema.text)
        return try Schema(json: changed.replacing("\"version\": 1", with: "\"version\": \(version)"))
    }

    private static func refusal(_ schema: Schema, _ classes: [ManagedObject.Type]) -> ObjectError? {
        #expect(throws: ObjectError.self) { try StoreCoordinator([.inMemory(schema)], classes: classes) }
    }

    // MARK: A forgotten migration

    @Test(arguments: StoreKindTests.Kind.allCases) func anEarlierStoreIsRefused(_ kind: StoreKindTests.Kind) throws {
        let library = try TestLibrary()
        let error = #expect(throws: ObjectError.self) {
            try StoreCoordinator([kind.store(in: library)], classes: LaterLibrarySchema.classes)
        }
        #expect(error?.code == .schemaMismatch)
        for fact in [
            "\"library\", version 2", "that has version 1", "without the attribute \"currency\" of \"Author\"",
            "MigrationPlan(to:)",
        ] {
            #expect(error?.message.contains(fact) == true, "\(fact) in \(error?.message ?? "")")
        }
    }

    @Test func anEntityThatAnEarlierStoreLacksIsNamed() throws {
        let error = Self.refusal(try LibrarySchema.schema(), [Prize.self])
        #expect(error?.code == .schemaMismatch)
        #expect(error?.message.contains("without the entity \"Prize\". Migrate it") == true, "\(error?.message ?? "")")
    }

    /// Also a migration that only changes a delete rule must not be forgotten.
    @Test func anEarlierStoreThatLacksNothingIsRefused() throws {
        let error = Self.refusal(try LibrarySchema.schema(), [Same.self])
        #expect(error?.message.contains("that has version 1. Migrate it") == true, "\(error?.message ?? "")")
    }

    @Test func aVersionThatWasChangedAndNotCountedUpIsRefused() throws {
        let error = Self.refusal(try LibrarySchema.schema(), [Uncounted.self])
        #expect(
            error?.message.contains(
                "that has another version 1, without the attribute \"currency\" of \"Author\". Count the version up")
                == true, "\(error?.message ?? "")")
    }

    // MARK: Later versions and other schemas

    @Test func aLaterStoreWithEverythingIsOpened() throws {
        let schema = try Self.library(2, "\"name\": \"title\"", with: "\"name\": \"heading\"")
        let context = ObjectContext(try StoreCoordinator([.inMemory(schema)], classes: LibrarySchema.classes))
        let book = try context.insert(Book.self)
        book.title = "A"
        try context.save()
        #expect(try book.value(of: "heading") == .string("A"))
    }

    @Test func aLaterStoreThatLacksSomethingIsRefused() throws {
        let schema = try Schema(
            json: """
                {"format": 1, "name": "library", "version": 2, "entities": [
                  {"id": 2, "name": "Book", "attributes": [
                    {"id": 1, "name": "title", "type": "string"},
                    {"id": 2, "name": "pages", "type": "double", "widens": "integer"}]}]}
                """)
        let error = Self.refusal(schema, [Book.self])
        let facts = [
            "that has version 2 already, without the attribute \"pages\" of \"Book\" as integer (its type is double there)",
            "and 6 others. Update the program",
        ]
        for fact in facts {
            #expect(error?.message.contains(fact) == true, "\(fact) in \(error?.message ?? "")")
        }
    }

    @Test func anEntityThatHasAnotherNameIsNamed() throws {
        let text = LibrarySchema.text.replacing("\"version\": 1", with: "\"version\": 2")
            .replacing("\"name\": \"Tag\"", with: "\"name\": \"Label\"")
            .replacing("\"destination\": \"Tag\"", with: "\"destination\": \"Label\"")
        let schema = try Schema(json: text)
        let error = Self.refusal(schema, [Tag.self])
        #expect(error?.message.contains("the entity \"Tag\", whose name is \"Label\" there") == true)
        #expect(throws: Never.self) { try StoreCoordinator([.inMemory(schema)], classes: [Book.self]) }
    }

    @Test func aClassWithoutASchemaIsNotChecked() throws {
        #expect(throws: Never.self) {
            try StoreCoordinator([.inMemory(LibrarySchema.schema())], classes: [Handwritten.self])
        }
    }

    // MARK: Replicas and documents

    /// The outcomes of opening a file are the same for replicas and documents.
    @Test(arguments: [(1, 2, 2), (2, 2, 2), (3, 2, 3)])
    func replicasAndDocumentsAreOpenedAlike(file: Int, program: Int, opened: Int) throws {
        let library = try TestLibrary()
        let (made, asked) = (try Self.library(file), try Self.library(program))
        let (replica, document) = (library.path("b.roost"), library.path("b.xml"))
        try Replica.create(at: replica, schema: made, identifiers: .tested).close()
        try ObjectDocument(made).save(as: document, .xml)
        #expect(try Replica(opening: replica, asked).schema.version == opened)
        #expect(try ObjectDocument(opening: document, asked).schema.version == opened)
        #expect(try Replica(opening: replica).schema.version == opened)
    }

    @Test(arguments: [1, 2]) func aFileOfAnotherSchemaIsRefused(_ version: Int) throws {
        let library = try TestLibrary()
        let text = LibrarySchema.text.replacing(
            "\"name\": \"library\", \"version\": 1", with: "\"name\": \"shop\", \"version\": \(version)")
        let other = try Schema(json: text)
        #expect(other.name == "shop" && other.version == version)
        let document = library.path("b.xml")
        try ObjectDocument(library.replica.schema).save(as: document, .xml)
        let refused = #expect(throws: ReplicaError.self) { try Replica(opening: library.replica.path, other) }
        #expect(refused?.code == .cannotMigrate)
        #expect(refused?.message.contains("\"library\", and not \"shop\"") == true, "\(refused?.message ?? "")")
        let error = #expect(throws: ObjectError.self) { try ObjectDocument(opening: document, other) }
        #expect(error?.message.contains("\"library\", and not \"shop\"") == true, "\(error?.message ?? "")")
    }

    /// A document of a later version is saved in that version.
    @Test func aLaterDocumentStaysLater() throws {
        let library = try TestLibrary()
        let path = library.path("b.xml")
        try ObjectDocument(Self.library(3)).save(as: path, .xml)
        let document = try ObjectDocument(opening: path, LibrarySchema.schema(), classes: LibrarySchema.classes)
        #expect(!document.isEdited)
        try document.context.insert(Author.self).name = "Ana"
        try document.save()
        #expect(try ObjectDocument(opening: path, LibrarySchema.schema()).schema.version == 3)
        try document.revert()
        #expect(document.schema.version == 3)
    }
}

/// A version 2 of the library with one entity more.
private enum PrizedSchema: SchemaSource {
    static let version = 2
    static let text = LibrarySchema.text.replacing("\"version\": 1", with: "\"version\": 2").replacing(
        #""entities": ["#, with: #""entities": [{"id": 20, "name": "Prize"},"#)
    static let classes: [ManagedObject.Type] = [Prize.self]
}

private final class Prize: ManagedObject {
    override class var entityName: String { "Prize" }
    override class var schemaSource: (any SchemaSource.Type)? { PrizedSchema.self }
}

/// A version 2 of the library with the entities and properties of version 1.
private enum SameSchema: SchemaSource {
    static let version = 2
    static let text = LibrarySchema.text.replacing("\"version\": 1", with: "\"version\": 2")
    static let classes: [ManagedObject.Type] = [Same.self]
}

private final class Same: ManagedObject {
    override class var entityName: String { "Author" }
    override class var schemaSource: (any SchemaSource.Type)? { SameSchema.self }
}

/// A changed library that is still called version 1.
private enum UncountedSchema: SchemaSource {
    static let version = 1
    static let text = LaterLibrarySchema.text.replacing("\"version\": 2", with: "\"version\": 1")
    static let classes: [ManagedObject.Type] = [Uncounted.self]
}

private final class Uncounted: ManagedObject {
    override class var entityName: String { "Author" }
    override class var schemaSource: (any SchemaSource.Type)? { UncountedSchema.self }
}

private final class Handwritten: ManagedObject {
    override class var entityName: String { "Author" }
    var currency: String { self[attribute: 9] }
}
