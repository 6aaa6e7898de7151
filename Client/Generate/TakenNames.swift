/// The names that generated declarations must not have, because they already have a meaning.
enum TakenNames {
    /// The words that Swift reads as keywords. They are names if they are in backquotes.
    static let keywords: Set<String> = [
        "actor", "any", "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer",
        "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard",
        "if",
        "import", "in", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private", "protocol",
        "public", "repeat", "rethrows", "return", "static", "struct", "subscript", "super", "switch", "throw", "throws",
        "true", "try", "typealias", "var", "where", "while",
    ]

    /// Returns the members of the generated declarations other than their properties.
    static func members(_ form: SwiftForm) -> Set<String> {
        switch form {
        case .structs: ["id", "values", "hashValue", "hash", "self", "init"]
        case .classes: objectMembers.union(fieldMembers)
        }
    }

    /// The members of every object: the members of `ManagedObject` that other modules can see.
    private static let objectMembers: Set<String> = [
        "add", "awakeFromInsert", "changedValues", "committedValue", "context", "description", "entity", "entityName",
        "hasChanges", "hash", "hashValue", "init", "insert", "isDeleted", "isInserted", "isUpdated", "move", "object",
        "objectID", "objects", "predicateValue", "propertyNames", "remove", "schemaSource", "self", "set", "validate",
        "value", "willSave",
    ]

    /// The members of every entity's fields: the members of `EntityFields`. A field has the name of its property.
    private static let fieldMembers: Set<String> = ["attribute", "path", "toMany", "toOne"]
}
