/// What is written for the entities of a schema.
package enum SwiftForm: Hashable, Sendable, CaseIterable {
    /// A class of objects for each entity, for the object layer.
    case classes
    /// A struct of a row for each entity and each many-to-many link, for SQL.
    case structs
}
