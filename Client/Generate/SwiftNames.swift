internal import RoostModel

/// The Swift names of a schema's entities and properties: in Swift's case, distinct, and without another meaning in Swift.
struct SwiftNames {
    /// The prefix of the declarations that belong to the schema as a whole.
    let prefix: String
    private let form: SwiftForm
    private let types: [EntityID: String]

    var schema: String { "\(prefix)Schema" }
    var error: String { "\(prefix)RowError" }
    var reader: String { "\(prefix)Row" }

    init(_ schema: Schema, _ form: SwiftForm) {
        let prefix = Self.upperCamel(schema.name)
        self.prefix = prefix
        self.form = form
        var taken = TakenNames.types(form).union(["\(prefix)Schema"])
        if form == .structs { taken.formUnion(["\(prefix)RowError", "\(prefix)Row"]) }
        var types: [EntityID: String] = [:]
        for entity in form == .structs ? schema.recordEntities : schema.entities {
            types[entity.id] = Self.unique(Self.upperCamel(entity.name), orElse: "Record", &taken)
        }
        self.types = types
    }

    func type(_ entity: Entity) -> String { types[entity.id] ?? Self.upperCamel(entity.name) }

    /// Returns the names of an entity's properties, in the order of `names`, unquoted.
    func properties(_ names: [String]) -> [String] {
        var taken = TakenNames.members(form)
        return names.map { Self.unique(Self.lowerCamel($0), orElse: "Property", &taken) }
    }

    /// Returns the names of the methods that change each of several properties: a verb before the property's own name.
    ///
    /// - Parameter others: The names of all properties of the entity.
    func methods(_ verb: String, _ properties: [String], besides others: [String]) -> [String] {
        var taken = TakenNames.members(form).union(others)
        return properties.map {
            Self.unique(verb + $0.prefix(1).uppercased() + $0.dropFirst(), orElse: "Property", &taken)
        }
    }

    /// Puts a name in backquotes if Swift would read it as a keyword.
    static func quoted(_ name: String) -> String { TakenNames.keywords.contains(name) ? "`\(name)`" : name }

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
        name.parts(at: "_").flatMap { $0.parts(at: "-") }.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    private static func lowerCamel(_ name: String) -> String {
        let camel = upperCamel(name)
        return camel.prefix(1).lowercased() + camel.dropFirst()
    }
}
