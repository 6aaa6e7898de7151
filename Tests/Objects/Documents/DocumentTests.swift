import Foundation
import Objects
import Replica
import RoostModel
import Testing

@Suite final class DocumentTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "documents-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func path(_ name: String) -> String { folder.appending(path: name).path }
    private func text(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }

    private func fill(_ context: ObjectContext) throws {
        let author = try context.make("Author", "Ana <\"&\u{0}\r\n> é 😀")
        try author.set("born", to: .string("1970-01-02"))
        let book = try context.make("Book", "", ["author": author, "shelf": try context.make("Shelf", " s ")])
        try book.set("pages", to: .integer(.min))
        try book.set("rating", to: .double(0.1))
        try book.set("lent", to: .boolean(true))
        try book.set("extra", to: .string(#"{"a":[1,"<",null]}"#))
        try book.add(try context.make("Tag", "t"), to: "tags")
        for text in ["null", "{ \"b\" :\n1.0 }", "\"<\""] {
            try context.make("Book", text).set("extra", to: .string(text))
        }
    }

    private func contents(_ context: ObjectContext) throws -> [[Value]] {
        try ["Author", "Book", "Shelf", "Tag"].flatMap { entity in
            let names =
                (try context.fetch(FetchRequest<ManagedObject>(entity))).first?.entity.attributes.map(\.name) ?? []
            return try context.fetchValues(FetchRequest<ManagedObject>(entity), ["id"] + names)
        }
            + context.fetchValues(
                FetchRequest<ManagedObject>("Book", where: try FetchPredicate(format: "ANY tags.name == 't'")),
                ["author", "shelf"])
    }

    @Test(arguments: DocumentFormat.allCases) func aDocumentIsReadAsItWasWritten(_ format: DocumentFormat) throws {
        let document = try ObjectDocument(try Schema(json: LibrarySchema.text))
        try fill(document.context)
        #expect(document.isEdited)
        try document.save(as: path("a"), format)
        #expect(!document.isEdited)
        let again = try ObjectDocument(opening: path("a"), document.schema)
        #expect(again.format == format)
        #expect(try contents(again.context) == contents(document.context))
        #expect(try contents(again.context).count == 8)
    }

    @Test func aSaveReplacesTheWholeFile() throws {
        let document = try ObjectDocument(try Schema(json: LibrarySchema.text))
        let author = try document.context.make("Author", "Ana")
        try document.save(as: path("a.xml"), .xml)
        try author.set("name", to: .string("Anne"))
        #expect(try !text("a.xml").contains("Anne"))
        try document.save()
        #expect(try text("a.xml").contains("<string name=\"name\">Anne</string>"))
        try document.context.delete(author)
        try document.save()
        #expect(try !text("a.xml").contains("Anne"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.xml"])
    }

    @Test func saveAsLeavesTheOldFile() throws {
        let document = try ObjectDocument(try Schema(json: LibrarySchema.text))
        let author = try document.context.make("Author", "Ana")
        try document.save(as: path("a"), .xml)
        try author.set("name", to: .string("Anne"))
        try document.save(as: path("b"), .binary)
        #expect(document.path == path("b"))
        #expect(try !text("a").contains("Anne"))
        #expect(
            try ObjectDocument(opening: path("b"), document.schema).context.count(FetchRequest<ManagedObject>("Author"))
                == 1)
    }

    @Test func whatAnotherProgramChangedIsNotOverwritten() throws {
        let document = try ObjectDocument(try Schema(json: LibrarySchema.text))
        let author = try document.context.make("Author", "Ana")
        try document.save(as: path("a"), .xml)
        let other = try ObjectDocument(opening: path("a"), document.schema)
        try other.context.make("Author", "Bob")
        try other.save()
        try author.set("name", to: .string("Anne"))
        let error = #expect(throws: ObjectError.self) { try document.save() }
        #expect(error?.code == .conflict)
        #expect(document.isEdited)
        #expect(author.label == "Anne")
        #expect(try text("a").contains("Bob"))
        try document.revert()
        #expect(!document.isEdited)
        #expect(try document.context.count(FetchRequest<ManagedObject>("Author")) == 2)
    }

    @Test func aSaveThatFailsChangesNothing() throws {
        let document = try ObjectDocument(try Schema(json: LibrarySchema.text))
        try document.context.make("Author", "Ana")
        #expect(throws: ObjectError.self) { try document.save() }
        #expect(throws: ObjectError.self) { try document.save(as: self.path("none/a"), .xml) }
        #expect(document.isEdited)
        #expect(document.path == nil)
        try document.save(as: path("a"), .xml)
        #expect(!document.isEdited)
    }

    @Test func saveAsThatFailsSavesNothing() throws {
        let document = try ObjectDocument(try Schema(json: LibrarySchema.text))
        try document.save(as: path("a"), .xml)
        try document.context.make("Author", "Ana")
        #expect(throws: ObjectError.self) { try document.save(as: self.path("none/a"), .xml) }
        #expect(document.path == path("a"))
        #expect(document.context.insertedObjects.count == 1)
        #expect(document.isEdited && document.context.hasChanges)
        document.context.rollback()
        #expect(!document.isEdited && !document.context.hasChanges)
        #expect(try document.context.count(FetchRequest<ManagedObject>("Author")) == 0)
    }

    /// A save of a document without a file stays in memory, so there is still something to save.
    @Test func aDocumentIsEditedWhenItsContextSaysSo() throws {
        let document = try ObjectDocument(try Schema(json: LibrarySchema.text))
        #expect(!document.isEdited && !document.context.hasChanges)
        try document.context.make("Author", "Ana")
        try document.context.save()
        #expect(document.isEdited && document.context.hasChanges)
        try document.save(as: path("a"), .xml)
        #expect(!document.isEdited && !document.context.hasChanges)
        #expect(try text("a").contains("Ana"))
    }

    @Test func aRevertedDocumentIsNotWrittenByItsFormerContext() throws {
        let document = try ObjectDocument(try Schema(json: LibrarySchema.text))
        let author = try document.context.make("Author", "Ana")
        try document.save(as: path("a"), .xml)
        let former = document.context
        try author.set("name", to: .string("Anne"))
        try document.revert()
        let error = #expect(throws: ObjectError.self) { try former.save() }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains("it was reverted") == true)
        let all = FetchRequest<ManagedObject>("Author")
        #expect(throws: ObjectError.self) { try former.updateAll(all, ["name": .string("Anne")]) }
        #expect(try text("a").contains("Ana") && !text("a").contains("Anne"))
        #expect(try document.context.fetch(all).map(\.label) == ["Ana"])
        try document.context.make("Author", "Bob")
        try document.save()
        #expect(try text("a").contains("Bob"))
    }

    @Test func aRevertKeepsTheSettingsOfTheContext() throws {
        let document = try ObjectDocument(try Schema(json: LibrarySchema.text))
        document.context.undoHistory = UndoHistory(limit: 3)
        document.context.mergePolicy = .ask
        try document.context.make("Author", "Ana")
        try document.save(as: path("a"), .binary)
        try document.context.insert("Author")
        #expect(!document.autosave() && document.autosaveFailure != nil)
        try document.revert()
        #expect(document.context.mergePolicy == .ask)
        #expect(document.context.undoHistory?.limit == 3)
        #expect(document.context.undoHistory?.undoNames == [])
        #expect(document.autosaveFailure == nil)
        try document.context.make("Author", "Bob")
        #expect(try document.context.undo()?.changed.count == 1)
        #expect(!document.isEdited)
    }

    @Test func autosaveKeepsWhatIsNotFit() throws {
        let document = try ObjectDocument(try Schema(json: LibrarySchema.text))
        #expect(!document.autosave())
        try document.save(as: path("a"), .xml)
        let author = try document.context.insert("Author")
        #expect(!document.autosave())
        #expect(document.autosaveFailure != nil)
        #expect(document.isEdited)
        try author.set("name", to: .string("Ana"))
        #expect(document.autosave())
        #expect(try text("a").contains("Ana"))
    }

    @Test(arguments: [
        ("RoostDoc", "cut short"), ("nothing", "no document"), ("<html></html>", "no Roost document"),
        ("<roost-document format=\"2\"></roost-document>", "this Roost reads 1"),
        ("<roost-document format=\"1\"><schema>{}</schema></roost-document>", "its schema cannot be read"),
        ("<roost-document format=\"1\"><schema>", "no whole XML"),
        ("<!DOCTYPE r [<!ENTITY a \"aa\">]><roost-document format=\"1\"/>", "declares a document type"),
    ])
    func damageIsSaid(_ bytes: String, _ reason: String) throws {
        try bytes.write(toFile: path("a"), atomically: true, encoding: .utf8)
        let schema = try Schema(json: LibrarySchema.text)
        let error = #expect(throws: ObjectError.self) { try ObjectDocument(opening: self.path("a"), schema) }
        #expect(error?.message.contains(reason) == true)
        #expect(error?.message.contains(path("a")) == true)
    }

    /// A binary document with any changed byte is refused.
    @Test func everyChangedByteIsNoticed() throws {
        let document = try ObjectDocument(try Schema(json: LibrarySchema.text))
        try document.context.make("Author", "Ana")
        try document.save(as: path("a"), .binary)
        let whole = try Data(contentsOf: URL(filePath: path("a")))
        for place in stride(from: 0, to: whole.count, by: 37) {
            var bytes = whole
            bytes[place] ^= 0x20
            try bytes.write(to: URL(filePath: path("b")))
            #expect(throws: ObjectError.self) { try ObjectDocument(opening: self.path("b"), document.schema) }
        }
    }

    @Test func aCoordinatorTakesADocumentAsAnyStore() throws {
        let schema = try Schema(json: LibrarySchema.text)
        let context = ObjectContext(try StoreCoordinator([.document(at: path("a"), schema, .xml)]))
        try context.make("Author", "Ana")
        try context.save()
        let other = ObjectContext(try StoreCoordinator([.document(at: path("a"), schema, .binary), .inMemory(schema)]))
        #expect(try other.fetch(FetchRequest<ManagedObject>("Author")).map(\.label) == ["Ana"])
    }
}
