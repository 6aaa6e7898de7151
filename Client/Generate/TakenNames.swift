/// The names that generated declarations must not have, because they mean something else already.
enum TakenNames {
    /// What Swift would take for a keyword; in backquotes it is a name.
    static let keywords: Set<String> = [
        "actor", "any", "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer",
        "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard",
        "if",
        "import", "in", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private", "protocol",
        "public", "repeat", "rethrows", "return", "static", "struct", "subscript", "super", "switch", "throw", "throws",
        "true", "try", "typealias", "var", "where", "while",
    ]

    /// The types that the generated code itself speaks of.
    static func types(_ form: SwiftForm) -> Set<String> {
        switch form {
        case .structs:
            [
                "Any", "Bool", "Double", "Error", "Hashable", "Int", "Int64", "Protocol", "RecordID", "RoostModel",
                "Self", "Sendable", "CustomStringConvertible", "String", "Swift", "Type", "UInt8", "Value",
            ]
        case .classes:
            [
                "Any", "AnyKeyPath", "Bool", "Data", "Date", "Double", "EntityFields", "FieldPath", "Fields",
                "Foundation", "Int64", "ManagedObject", "ManyFields", "Objects", "Protocol", "Roost", "RoostModel",
                "Self", "String", "Swift", "Type", "TypedObject", "UUID",
            ]
        }
    }

    /// The members that the generated declarations have besides their properties.
    static func members(_ form: SwiftForm) -> Set<String> {
        switch form {
        case .structs: ["id", "values", "hashValue", "hash", "self", "init"]
        case .classes: objectMembers.union(fieldMembers)
        }
    }

    /// What every object has: the members of `ManagedObject` that other modules see.
    private static let objectMembers: Set<String> = [
        "add", "awakeFromInsert", "changedValues", "committedValue", "context", "description", "entity", "entityName",
        "hasChanges", "hash", "hashValue", "init", "insert", "isDeleted", "isInserted", "isUpdated", "move", "object",
        "objectID", "objects", "predicateValue", "propertyNames", "remove", "self", "set", "validate", "value",
        "willSave",
    ]

    /// What the fields of every entity have, for a field is named as its property: the members of `EntityFields`.
    private static let fieldMembers: Set<String> = ["attribute", "path", "toMany", "toOne"]
}
