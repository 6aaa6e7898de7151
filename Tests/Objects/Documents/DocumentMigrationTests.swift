import Foundation
import Objects
import Replica
import RoostModel
import Testing

/// Documents written with an earlier version of their schema.
@Suite final class DocumentMigrationTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "documents-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private var path: String { folder.appending(path: "a").path }

    private static func schema(_ version: Int, _ attributes: String, _ rest: String = "") throws -> Schema {
        try Schema(
            json: """
                {"format": 1, "name": "notes", "version": \(version), "entities": [
                  {"id": 1, "name": "Note", "attributes": [\(attributes)]}\(rest)]}
                """)
    }

    private let first = Result {
        try schema(
            1, #"{"id": 1, "name": "text", "type": "string"}, {"id": 2, "name": "size", "type": "integer"}"#,
            #", {"id": 2, "name": "Tag", "attributes": [{"id": 1, "name": "name", "type": "string"}]}"#)
    }
    private let second = Result {
        try schema(
            2,
            #"{"id": 1, "name": "content", "type": "string"}, {"id": 2, "name": "size", "type": "double", "widens": "integer"}"#
        )
    }

    private func write(_ format: DocumentFormat) throws {
        let document = try ObjectDocument(try first.get())
        let note = try document.context.insert("Note")
        try note.set("text", to: .string("Hello"))
        try note.set("size", to: .integer(3))
        try document.context.insert("Tag").set("name", to: .string("red"))
        try document.save(as: path, format)
    }

    @Test(arguments: DocumentFormat.allCases)
    func aDocumentIsMigratedWhenItIsOpenedAndWrittenWhenItIsSaved(_ format: DocumentFormat) throws {
        try write(format)
        let bytes = try Data(contentsOf: URL(filePath: path))
        let document = try ObjectDocument(opening: path, try second.get())
        let note = try #require(try document.context.fetch(FetchRequest<ManagedObject>("Note")).first)
        #expect(try note.value(of: "content") == .string("Hello"))
        #expect(try note.value(of: "size") == .double(3))
        #expect(document.isEdited && document.context.hasChanges)
        #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
        try note.set("size", to: .double(3.5))
        try document.save()
        let again = try ObjectDocument(opening: path, try second.get())
        #expect(again.format == format)
        #expect(
            try again.context.fetchValues(FetchRequest<ManagedObject>("Note"), ["content", "size"]) == [
                [.string("Hello"), .double(3.5)]
            ])
        // The earlier program has the document in the later version, as it would have a replica.
        let earlier = try ObjectDocument(opening: path, try first.get())
        #expect(earlier.schema.version == 2 && !earlier.isEdited)
    }

    /// A migration alone is something to save, until it is saved.
    @Test(arguments: DocumentFormat.allCases, [false, true])
    func aMigratedDocumentIsWrittenByTheNextSave(_ format: DocumentFormat, isAutosave: Bool) throws {
        try write(format)
        let document = try ObjectDocument(opening: path, try second.get())
        if isAutosave { #expect(document.autosave()) } else { try document.save() }
        #expect(!document.isEdited)
        #expect(try ObjectDocument(opening: path, try second.get()).isEdited == false)
        #expect(try ObjectDocument(opening: path, try first.get()).schema.version == 2)
    }

    @Test func aRevertLeavesAMigrationToSave() throws {
        try write(.xml)
        let document = try ObjectDocument(opening: path, try second.get())
        try document.context.insert("Note")
        try document.revert()
        #expect(document.isEdited && document.context.insertedObjects.isEmpty)
        try document.save()
        #expect(!document.isEdited)
    }

    /// A coordinator's document is migrated and written like one that has no coordinator of its own, also where the save
    /// concerns another store.
    @Test(arguments: [false, true]) func aMigratedStoreIsWrittenByTheNextSave(_ hasOtherChange: Bool) throws {
        try write(.binary)
        let stores: [StoreKind] = [.document(at: path, try second.get(), .xml), .inMemory(try second.get())]
        let context = ObjectContext(try StoreCoordinator(stores))
        #expect(context.hasChanges)
        #expect(!ObjectContext(childOf: context).hasChanges)
        if hasOtherChange {
            let note = try context.insert("Note", into: context.coordinator.stores[1].id)
            try note.set("content", to: .string("Here"))
            try note.set("size", to: .double(1))
        }
        try context.save()
        #expect(!context.hasChanges)
        #expect(try !ObjectDocument(opening: path, try second.get()).isEdited)
    }

    @Test func codeOfAPlanRuns() throws {
        try write(.binary)
        let plan = try MigrationPlan([
            .custom(try second.get()) { step in
                try step.forEach("Tag") { id, values in
                    try step.transaction.put("Note", id: id, ["content": values["name"] ?? .null, "size": .double(0)])
                }
            }
        ])
        let document = try ObjectDocument(opening: path, migrating: plan)
        #expect(try document.context.fetchValues(FetchRequest<ManagedObject>("Note"), ["content"]).count == 2)
        let store = try StoreCoordinator([.document(at: path, migrating: plan, .xml)])
        #expect(try ObjectContext(store).fetchValues(FetchRequest<ManagedObject>("Note"), ["content"]).count == 2)
    }

    /// A document cannot store records that it does not show.
    @Test func aRecordThatWouldBeKeptAsideIsARefusal() throws {
        let document = try ObjectDocument(try first.get())
        let note = try document.context.insert("Note")
        try note.set("text", to: .string("Hello"))
        try note.set("size", to: .integer(1 << 53 + 1))
        try document.save(as: path, .binary)
        let error = #expect(throws: ObjectError.self) {
            try ObjectDocument(opening: self.path, try self.second.get())
        }
        #expect(
            error?.message.contains(
                "1 records do not fit it, the first because Note \"size\" is a whole number that a double does not hold."
            ) == true)
    }

    /// A document does not store nullified references, so a later rule hides nothing because of them.
    @Test(arguments: DocumentFormat.allCases)
    func aReferenceToWhatIsGoneHidesNothingByALaterRule(_ format: DocumentFormat) throws {
        func schema(_ version: Int, _ rule: String) throws -> Schema {
            try Schema(
                json: #"""
                    {"format": 1, "name": "notes", "version": \#(version), "entities": [
                      {"id": 1, "name": "Book", "relationships": [
                        {"id": 1, "name": "notes", "kind": "toMany", "destination": "Note", "inverse": "book", "deleteRule": "\#(rule)"}]},
                      {"id": 2, "name": "Note", "relationships": [
                        {"id": 1, "name": "book", "kind": "toOne", "destination": "Book", "inverse": "notes"}]}]}
                    """#)
        }
        let document = try ObjectDocument(try schema(1, "nullify"))
        let (book, note) = (try document.context.insert("Book"), try document.context.insert("Note"))
        try note.set("book", to: book)
        try document.save(as: path, format)
        try document.context.delete(book)
        try document.save()
        let later = try ObjectDocument(opening: path, try schema(2, "cascade"))
        #expect(try later.context.fetch(FetchRequest<ManagedObject>("Note")).count == 1)
        try later.context.insert("Book")
        try later.save()
        let again = try ObjectDocument(opening: path, try schema(2, "cascade"))
        #expect(try again.context.fetch(FetchRequest<ManagedObject>("Note")).count == 1)
    }

    @Test func whatCannotFollowIsRefused() throws {
        try write(.xml)
        let other = try Self.schema(2, #"{"id": 1, "name": "text", "type": "integer"}"#)
        let error = #expect(throws: ObjectError.self) { try ObjectDocument(opening: self.path, other) }
        #expect(error?.code == .store)
        #expect(error?.message.contains("Give it an id that was never used") == true)
        #expect(
            try ObjectDocument(opening: path, try first.get()).context.fetch(FetchRequest<ManagedObject>("Note")).count
                == 1)
    }
}

/// A migrated replica works like any other store.
@Suite struct MigratedStoreTests {
    @Test func aContextOfBeforeIsToldAndANewOneWorks() throws {
        let library = try TestLibrary()
        let context = library.context()
        try context.make("Author", "Ana")
        try context.save()
        let later = LibrarySchema.text.replacing("\"version\": 1", with: "\"version\": 2")
            .replacing("\"name\": \"title\"", with: "\"name\": \"heading\"")
        let plan = MigrationPlan(to: try Schema(json: later))
        #expect(try Replica.migrate(at: library.replica.path, by: plan))
        let error = #expect(throws: ObjectError.self) { try context.fetch(FetchRequest<ManagedObject>("Author")) }
        #expect(error?.message.contains("another program has migrated it") == true)
        try context.make("Author", "Bob")
        #expect(throws: ObjectError.self) { try context.save() }
        #expect(context.hasChanges)
        let fresh = ObjectContext(try StoreCoordinator(try Replica(opening: library.replica.path)))
        try fresh.insert("Book").set("heading", to: .string("A"))
        try fresh.save()
        #expect(try fresh.fetch(FetchRequest<ManagedObject>("Author")).count == 1)
    }
}
