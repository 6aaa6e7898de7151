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
        let prefix = NameCase.upperCamel(schema.name)
        self.prefix = prefix
        self.form = form
        var taken = TakenTypes.all.union(["\(prefix)Schema"])
        if form == .structs { taken.formUnion(["\(prefix)RowError", "\(prefix)Row"]) }
        var types: [EntityID: String] = [:]
        for entity in form == .structs ? schema.recordEntities : schema.entities {
            types[entity.id] = Self.unique(NameCase.upperCamel(entity.name), orElse: "Record", &taken)
        }
        self.types = types
    }

    func type(_ entity: Entity) -> String { types[entity.id] ?? NameCase.upperCamel(entity.name) }

    /// Returns the names of an entity's properties, in the order of `names`, unquoted.
    func properties(_ names: [String]) -> [String] {
        var taken = TakenNames.members(form)
        return names.map { Self.unique(NameCase.lowerCamel($0), orElse: "Property", &taken) }
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
        NameCase.unique(name, orElse: suffix) { !taken.insert($0).inserted }
    }
}
