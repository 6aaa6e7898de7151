import Foundation
import Objects
import Replica
import RoostModel

/// A replica in a folder of its own, with entities for every kind of relationship and every delete rule:
///
/// - `Author.books` cascade, `Book.author`;
/// - `Shelf.books` nullify, `Book.shelf`;
/// - `Series.books` deny, `Book.series`;
/// - `Reader.notes` noAction, `Note.reader`;
/// - `Book.tags` and `Tag.books`, many to many;
/// - `Note.book`, cascade from `Book.notes`: two levels below an author;
/// - `Folder.parent`, a tree.
final class TestLibrary {
    let replica: Replica
    let coordinator: StoreCoordinator
    private let folder: URL

    init(classes: [ManagedObject.Type] = []) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "objects-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        replica = try Replica.create(at: folder.appending(path: "a.sqlite").path, schema: Self.schema())
        coordinator = try StoreCoordinator(replica, classes: classes)
    }

    deinit {
        try? replica.close()
        try? FileManager.default.removeItem(at: folder)
    }

    func context() -> ObjectContext { ObjectContext(coordinator) }

    /// How many rows plain SQL sees.
    func count(_ table: String, _ condition: String = "1") throws -> Int64 {
        guard case .integer(let number) = try replica.select("SELECT count(*) FROM \(table) WHERE \(condition)")[0][0]
        else {
            return -1
        }
        return number
    }

    /// How many records wait to be pushed.
    func waiting() throws -> Int64 { try count("roost_outbox") }

    static func schema() throws -> Schema { try Schema(json: text) }

    private static let text = """
        {"format": 1, "name": "library", "version": 1, "entities": [
          {"id": 1, "name": "Author", "attributes": [
             {"id": 1, "name": "name", "type": "string"},
             {"id": 2, "name": "born", "type": "date", "optional": true}],
           "relationships": [
             {"id": 3, "name": "books", "kind": "toMany", "destination": "Book", "inverse": "author", "deleteRule": "cascade"}]},
          {"id": 2, "name": "Book", "attributes": [
             {"id": 1, "name": "title", "type": "string"},
             {"id": 2, "name": "pages", "type": "integer", "default": 0},
             {"id": 3, "name": "rating", "type": "double", "optional": true},
             {"id": 4, "name": "lent", "type": "boolean", "default": false},
             {"id": 5, "name": "extra", "type": "json", "optional": true}],
           "relationships": [
             {"id": 6, "name": "author", "kind": "toOne", "destination": "Author", "inverse": "books"},
             {"id": 7, "name": "shelf", "kind": "toOne", "destination": "Shelf", "inverse": "books"},
             {"id": 8, "name": "series", "kind": "toOne", "destination": "Series", "inverse": "books"},
             {"id": 9, "name": "tags", "kind": "manyToMany", "destination": "Tag", "inverse": "books"},
             {"id": 10, "name": "notes", "kind": "toMany", "destination": "Note", "inverse": "book", "deleteRule": "cascade"}]},
          {"id": 3, "name": "Shelf", "attributes": [{"id": 1, "name": "name", "type": "string"}],
           "relationships": [
             {"id": 2, "name": "books", "kind": "toMany", "destination": "Book", "inverse": "shelf", "deleteRule": "nullify"}]},
          {"id": 4, "name": "Series", "attributes": [{"id": 1, "name": "name", "type": "string"}],
           "relationships": [
             {"id": 2, "name": "books", "kind": "toMany", "destination": "Book", "inverse": "series", "deleteRule": "deny"}]},
          {"id": 5, "name": "Tag", "attributes": [{"id": 1, "name": "name", "type": "string"}],
           "relationships": [
             {"id": 2, "name": "books", "kind": "manyToMany", "destination": "Book", "inverse": "tags"}]},
          {"id": 6, "name": "Reader", "attributes": [{"id": 1, "name": "name", "type": "string"}],
           "relationships": [
             {"id": 2, "name": "notes", "kind": "toMany", "destination": "Note", "inverse": "reader", "deleteRule": "noAction"}]},
          {"id": 7, "name": "Note", "attributes": [{"id": 1, "name": "text", "type": "string"}],
           "relationships": [
             {"id": 2, "name": "book", "kind": "toOne", "destination": "Book", "inverse": "notes", "optional": false},
             {"id": 3, "name": "reader", "kind": "toOne", "destination": "Reader", "inverse": "notes"}]},
          {"id": 8, "name": "Folder", "attributes": [{"id": 1, "name": "name", "type": "string"}],
           "relationships": [
             {"id": 2, "name": "parent", "kind": "toOne", "destination": "Folder", "inverse": "children", "tree": true},
             {"id": 3, "name": "children", "kind": "toMany", "destination": "Folder", "inverse": "parent",
              "deleteRule": "cascade"}]}
        ]}
        """
}

extension ObjectContext {
    /// Makes an object with a name or title.
    @discardableResult
    func make(_ entity: String, _ name: String, _ links: [String: ManagedObject] = [:]) throws -> ManagedObject {
        let object = try insert(entity)
        let property = entity == "Book" ? "title" : entity == "Note" ? "text" : "name"
        try object.set(property, to: .text(name))
        for (relationship, target) in links { try object.set(relationship, to: target) }
        return object
    }
}

extension ManagedObject {
    /// The name or title.
    var label: String {
        let property = layoutName == "Book" ? "title" : layoutName == "Note" ? "text" : "name"
        guard case .text(let text)? = try? value(of: property) else { return "" }
        return text
    }

    private var layoutName: String { entity.name }
}
