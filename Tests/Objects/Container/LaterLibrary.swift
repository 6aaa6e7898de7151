import Objects

/// A later version of the library, with an attribute more, as it would be generated.
enum LaterLibrarySchema: SchemaSource {
    static let version = 2
    static let text = LibrarySchema.text.replacing("\"version\": 1", with: "\"version\": 2").replacing(
        #""name": "Author", "attributes": ["#,
        with: #""name": "Author", "attributes": [{"id": 9, "name": "currency", "type": "string", "default": "EUR"},"#)
    static let classes: [ManagedObject.Type] = [LaterAuthor.self]
}

/// An author of the later version.
final class LaterAuthor: ManagedObject {
    override class var entityName: String { "Author" }
    override class var schemaSource: (any SchemaSource.Type)? { LaterLibrarySchema.self }

    var name: String {
        get { self[attribute: 1] }
        set { self[attribute: 1] = newValue }
    }

    var currency: String {
        get { self[attribute: 9] }
        set { self[attribute: 9] = newValue }
    }
}
