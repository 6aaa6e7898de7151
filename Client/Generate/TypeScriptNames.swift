/// The TypeScript names of a schema's entities and properties: in camel case, distinct, and without another meaning in the
/// generated file or in the client.
struct TypeScriptNames {
    /// The types that the generated file uses. The interface of an entity's properties has a suffix.
    private static let takenTypes: Set<String> = ["EntityType", "Many", "One", "Record", "Uint8Array"]
    /// The members that every record or path has already.
    private static let takenMembers: Set<String> = [
        "constructor", "eq", "hasOwnProperty", "id", "isNil", "isPrototypeOf", "propertyIsEnumerable", "toJSON",
        "toLocaleString", "toString", "valueOf",
    ]

    private let types: [EntityID: String]

    init(_ schema: Schema) {
        var taken = Self.takenTypes
        types = schema.entities.reduce(into: [:]) { types, entity in
            let name = NameCase.unique(NameCase.upperCamel(entity.name), orElse: "Record") { name in
                taken.contains(name) || taken.contains(Self.fields(name))
            }
            taken.formUnion([name, Self.fields(name)])
            types[entity.id] = name
        }
    }

    /// Returns the name of an entity's constant.
    func type(_ entity: Entity) -> String { types[entity.id] ?? NameCase.upperCamel(entity.name) }

    /// Returns the name of the interface of an entity's properties.
    func fields(_ entity: Entity) -> String { Self.fields(type(entity)) }

    /// Returns the names of an entity's properties, in the order of `names`.
    func properties(_ names: [String]) -> [String] {
        var taken = Self.takenMembers
        return names.map { name in
            NameCase.unique(NameCase.lowerCamel(name), orElse: "Property") { !taken.insert($0).inserted }
        }
    }

    private static func fields(_ type: String) -> String { "\(type)Fields" }
}
