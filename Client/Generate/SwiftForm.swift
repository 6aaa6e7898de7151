/// The form of the declarations that are generated for a schema's entities.
package enum SwiftForm: Hashable, Sendable, CaseIterable {
    /// A class of objects for each entity, for the object layer.
    case classes
    /// A struct of a row for each entity and each many-to-many link, for SQL.
    case structs
}
