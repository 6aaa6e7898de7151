internal import RoostModel

/// The Swift names of a schema's entities and properties: in Swift's case, none twice, none that means something else.
struct SwiftNames {
    /// The prefix of the declarations that belong to the whole schema.
    let prefix: String
    private let types: [EntityID: String]

    var schema: String { "\(prefix)Schema" }
    var error: String { "\(prefix)RowError" }
    var reader: String { "\(prefix)Row" }

    init(_ schema: Schema) {
        let prefix = Self.upperCamel(schema.name)
        self.prefix = prefix
        var taken = Self.usedTypes.union(["\(prefix)Schema", "\(prefix)RowError", "\(prefix)Row"])
        var types: [EntityID: String] = [:]
        for entity in schema.recordEntities {
            types[entity.id] = Self.unique(Self.upperCamel(entity.name), orElse: "Record", &taken)
        }
        self.types = types
    }

    func type(_ entity: Entity) -> String { types[entity.id] ?? Self.upperCamel(entity.name) }

    /// The names of an entity's stored properties, in the order of `names`, unquoted.
    static func properties(_ names: [String]) -> [String] {
        var taken: Set<String> = ["id", "values", "hashValue", "hash", "self", "init"]
        return names.map { unique(lowerCamel($0), orElse: "Property", &taken) }
    }

    /// A name in backquotes where Swift would take it for a keyword.
    static func quoted(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    private static func unique(_ name: String, orElse suffix: String, _ taken: inout Set<String>) -> String {
        var candidate = name
        var number = 1
        while !taken.insert(candidate).inserted {
            candidate = number == 1 ? "\(name)\(suffix)" : "\(name)\(suffix)\(number)"
            number += 1
        }
        return candidate
    }

    private static func upperCamel(_ name: String) -> String {
        name.split { $0 == "_" || $0 == "-" }.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    private static func lowerCamel(_ name: String) -> String {
        let camel = upperCamel(name)
        return camel.prefix(1).lowercased() + camel.dropFirst()
    }

    /// The types that the generated code itself speaks of.
    private static let usedTypes: Set<String> = [
        "Any", "Bool", "Double", "Error", "Hashable", "Int", "Int64", "Protocol", "RecordID", "RoostModel", "Self",
        "Sendable", "CustomStringConvertible", "String", "Swift", "Type", "UInt8", "Value",
    ]

    private static let keywords: Set<String> = [
        "actor", "any", "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer",
        "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard",
        "if",
        "import", "in", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private", "protocol",
        "public", "repeat", "rethrows", "return", "static", "struct", "subscript", "super", "switch", "throw", "throws",
        "true", "try", "typealias", "var", "where", "while",
    ]
}
