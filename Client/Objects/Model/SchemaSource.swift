public import RoostModel

/// A schema with its classes, as `roost generate swift` writes it.
///
///     let container = try ObjectContainer(LibrarySchema.self, at: path)
public protocol SchemaSource {
    /// The version of the schema.
    static var version: Int { get }
    /// The text of the schema file.
    static var text: String { get }
    /// The classes of all entities.
    static var classes: [ManagedObject.Type] { get }
}

extension SchemaSource {
    /// Reads the schema.
    ///
    /// - Throws: ``SchemaError`` where the text was changed after it was generated, and is no valid schema.
    public static func schema() throws(SchemaError) -> Schema { try Schema(json: text) }
}
