extension Schema {
    /// Reads a schema file.
    ///
    /// - Throws: ``SchemaError`` with every problem found; each names its entity, its property and the cure.
    public init(json text: String) throws(SchemaError) {
        let (schema, problems) = Self.read(text)
        guard let schema, problems.isEmpty else { throw SchemaError(problems) }
        self = schema
    }

    /// Reads the schema of a new scope or replica, which has to be within the limits of servers and replicas.
    ///
    /// - Returns: The schema, `nil` where it has errors; and everything that is to be said about the file: all errors at once, or
    ///   the warnings.
    package static func check(json text: String) -> (schema: Schema?, problems: [SchemaProblem]) {
        let (schema, problems) = read(text)
        guard let schema else { return (nil, problems) }
        let errors = problems + UnreadParts.withoutMarks(schema.limitProblems())
        return errors.isEmpty ? (schema, schema.warnings()) : (nil, errors)
    }

    /// Reads a schema file as far as possible.
    ///
    /// - Returns: The schema, in which marked names stand for unread ones, and all errors; no schema where nothing could be read.
    private static func read(_ text: String) -> (schema: Schema?, errors: [SchemaProblem]) {
        let value: JSONValue
        do {
            value = try JSONParser.parse(text)
        } catch {
            return (nil, [SchemaProblem("The file is not JSON: \(error)", cure: "Correct the text there")])
        }
        var reader = SchemaReader()
        guard let schema = reader.schema(value, source: text) else { return (nil, reader.problems) }
        let unread = UnreadParts(reader.problems, holes: reader.holes)
        let errors = UnreadParts.withoutMarks(SchemaValidator.errors(in: schema, without: unread))
        guard !reader.problems.isEmpty, !errors.isEmpty else { return (schema, reader.problems + errors) }
        return (schema, (reader.problems + errors).inOrder(of: schema))
    }
}

extension [SchemaProblem] {
    /// Returns the problems in the order of the file's entities. Problems of the schema itself come first.
    fileprivate func inOrder(of schema: Schema) -> [SchemaProblem] {
        let ranks = Dictionary(schema.entities.enumerated().map { ($1.name, $0) }) { first, _ in first }
        func rank(_ problem: SchemaProblem) -> Int {
            guard let entity = problem.entity else { return -1 }
            return ranks[entity] ?? SchemaReader.index(ofNameless: entity) ?? schema.entities.count
        }
        return enumerated().map { (rank: rank($1), offset: $0, problem: $1) }
            .sorted { ($0.rank, $0.offset) < ($1.rank, $1.offset) }.map(\.problem)
    }
}

/// A reader of a ``Schema`` from the JSON of a schema file. It collects the parts that do not have the right form.
struct SchemaReader {
    /// The version of the file format.
    static let formatVersion = 1

    private(set) var problems: [SchemaProblem] = []
    /// The entities of which not every property could be read; "" where not every entity could be read.
    private(set) var holes: Set<String> = []
    private var entity: String?
    /// The number of names and identifiers that could not be read.
    private var unreadCount: UInt32 = 0

    /// Returns the index of an entity without a name, which messages call by its number.
    static func index(ofNameless entity: String) -> Int? {
        entity.begins(with: "number ") ? Int(entity.dropFirst(7)).flatMap { $0 > 0 ? $0 - 1 : nil } : nil
    }

    /// - Returns: The schema, with a marked name for each name that could not be read; `nil` where the file is no object.
    mutating func schema(_ value: JSONValue, source: String) -> Schema? {
        guard value.members != nil else {
            report(
                nil, "the file holds \(value.kindName)", "Write an object with \"format\", \"name\" and \"entities\"")
            return nil
        }
        if value["format"]?.integerValue != Int64(Self.formatVersion) {
            report(
                "format",
                "the format is \(value["format"].map { Self.shown($0.text) } ?? "not said"), expected \(Self.formatVersion)",
                "Write \"format\": \(Self.formatVersion)")
        }
        let version = value["version"]?.integerValue ?? 1
        if version < 1 || version > 1_000_000 || (value["version"] != nil && value["version"]?.integerValue == nil) {
            report(
                "version", "the version is not a whole number from 1", "Write \"version\": 1 and count up from there")
        }
        let minimum = value["minimumVersion"]?.integerValue ?? 1
        if value["minimumVersion"] != nil,
            value["minimumVersion"]?.integerValue == nil || minimum < 1 || minimum > version
        {
            report(
                "minimumVersion", "the minimum version is not a whole number from 1 to the schema's version \(version)",
                "Name the oldest version that may still synchronise, or leave it out")
        }
        let entities = list(value, "entities", required: true).enumerated().map { entity($1, at: $0) }
        return Schema(
            name: text(value, "name") ?? unread(), version: Int(clamping: max(version, 1)),
            minimumVersion: Int(clamping: max(minimum, 1)), entities: entities, source: source)
    }

    private mutating func entity(_ value: JSONValue, at index: Int) -> Entity {
        entity = value["name"]?.stringValue.map(Self.shown) ?? "number \(index + 1)"
        defer { entity = nil }
        guard isObject(value, "the entity") else {
            holes.insert("")
            return Entity(id: EntityID(identifier()), name: unread())
        }
        let id = EntityID(identifier(value, nil))
        let name = text(value, "name")
        if name == nil { holes.insert("") }
        return Entity(
            id: id, name: name ?? unread(),
            attributes: list(value, "attributes").map { attribute($0) },
            relationships: list(value, "relationships").map { relationship($0) })
    }

    private mutating func attribute(_ value: JSONValue) -> Attribute {
        guard isObject(value, "an attribute") else {
            holes.insert(entity ?? "")
            return Attribute(id: PropertyID(identifier()), name: unread(), kind: .string)
        }
        let read = text(value, "name", ofProperty: true)
        if read == nil { holes.insert(entity ?? "") }
        let name = read ?? ""
        let known = choice(value, "type", of: name, Attribute.Kind.self)
        let kind = known ?? .string
        var attribute = Attribute(
            id: PropertyID(identifier(value, name)), name: read ?? unread(), kind: kind,
            isOptional: flag(value, "optional", of: name) ?? false)
        if let given = value["default"], given != .null, known != nil {
            do throws(AttributeJSON.Mismatch) {
                let value = try AttributeJSON.value(given, kind: kind)
                if case .double(let number) = value, !number.isFinite {
                    throw AttributeJSON.Mismatch(reason: "got \(number)", cure: "Write a finite number")
                }
                // No SQLite column stores a negative zero.
                attribute.defaultValue = value.withoutNegativeZero
            } catch {
                report(name, "the default is not \(kind.phrase): \(error.reason)", error.cure)
            }
        }
        if value["widens"] != nil { attribute.widens = choice(value, "widens", of: name, Attribute.Kind.self) }
        if let narrow = attribute.widens, known != nil, !Attribute.isWidening(narrow, to: kind) {
            report(
                name, "\(kind.phrase) cannot widen \(narrow.phrase)",
                "Widen a boolean to an integer, or an integer to a double; else give the new type a new property")
        }
        return attribute
    }

    private mutating func relationship(_ value: JSONValue) -> Relationship {
        guard isObject(value, "a relationship") else {
            holes.insert(entity ?? "")
            return Relationship(
                id: PropertyID(identifier()), name: unread(), kind: .toOne, destination: unread(), inverse: unread())
        }
        let read = text(value, "name", ofProperty: true)
        if read == nil { holes.insert(entity ?? "") }
        let name = read ?? ""
        let kind = choice(value, "kind", of: name, Relationship.Kind.self) ?? .toOne
        if value["inverse"]?.stringValue == nil, let destination = value["destination"]?.stringValue {
            report(
                name, "the relationship has no inverse", "Declare it on \"\(Self.shown(destination))\" and name it here"
            )
        }
        if value["destination"]?.stringValue == nil {
            report(name, "the relationship has no destination", "Name the entity it leads to")
        }
        var rule = Relationship.DeleteRule.nullify
        if value["deleteRule"] != nil {
            rule = choice(value, "deleteRule", of: name, Relationship.DeleteRule.self) ?? .nullify
        }
        return Relationship(
            id: PropertyID(identifier(value, name)), name: read ?? unread(), kind: kind,
            destination: value["destination"]?.stringValue.flatMap { word($0, name) } ?? unread(),
            inverse: value["inverse"]?.stringValue.flatMap { word($0, name) } ?? unread(),
            deleteRule: rule, isOptional: flag(value, "optional", of: name) ?? true,
            isTree: flag(value, "tree", of: name) ?? false, isSingle: flag(value, "single", of: name) ?? false,
            orderedBy: attributeName(value, "orderedBy", of: name))
    }

    private mutating func isObject(_ value: JSONValue, _ what: String) -> Bool {
        if value.members != nil { return true }
        report(nil, "\(what) is \(value.kindName), expected an object", "Write { … }")
        return false
    }

    private mutating func list(_ value: JSONValue, _ name: String, required: Bool = false) -> [JSONValue] {
        if let items = value[name]?.arrayValue { return items }
        if required || value[name] != nil {
            report(nil, "\"\(name)\" is \(value[name]?.kindName ?? "missing")", "Write \"\(name)\": [ … ]")
            holes.insert(entity ?? "")
        }
        return []
    }

    /// Returns a name that stands for one that could not be read, and is equal to no other.
    private mutating func unread() -> String {
        unreadCount += 1
        return "\(UnreadParts.mark)\(unreadCount)"
    }

    /// Returns a number that stands for an identifier that could not be read, and is equal to no other.
    private mutating func identifier() -> UInt32 {
        unreadCount += 1
        return 32767 + unreadCount
    }

    private mutating func text(_ value: JSONValue, _ name: String, ofProperty isOfProperty: Bool = false) -> String? {
        if let text = value[name]?.stringValue { return word(text, isOfProperty ? Self.shown(text) : nil) }
        report(nil, "\"\(name)\" is \(value[name]?.kindName ?? "missing"), expected a string", "Give it a \"\(name)\"")
        return nil
    }

    private mutating func identifier(_ value: JSONValue, _ property: String?) -> UInt32 {
        if let number = value["id"]?.integerValue, (1...32767).contains(number) { return UInt32(number) }
        report(
            property,
            "\"id\" is \(value["id"].map { Self.shown($0.text) } ?? "missing"), expected a whole number from 1 to 32767",
            "Give it a number that nothing else here has, and never change it")
        return identifier()
    }

    private mutating func flag(_ value: JSONValue, _ name: String, of property: String) -> Bool? {
        guard let given = value[name] else { return nil }
        if given.booleanValue == nil {
            report(property, "\"\(name)\" is \(given.kindName)", "Write true or false")
        }
        return given.booleanValue
    }

    private mutating func attributeName(_ value: JSONValue, _ name: String, of property: String) -> String? {
        guard let given = value[name] else { return nil }
        if given.stringValue == nil {
            report(property, "\"\(name)\" is \(given.kindName)", "Write the name of an attribute")
        }
        return given.stringValue.flatMap { word($0, property) }
    }

    /// Returns a name that is printable ASCII and not too long, and reports any other name. Later steps compare names, fold their
    /// case and look them up, which for other text may take time that grows with the square of its length.
    ///
    /// - Returns: `nil` for a name that was reported.
    private mutating func word(_ name: String, _ property: String?) -> String? {
        if name.utf8.count <= 256, name.utf8.allSatisfy({ (0x20..<0x80).contains($0) }) { return name }
        report(
            property, "the name \"\(Self.shown(name))\" cannot be used",
            "Use 1 to 64 of a-z, A-Z, 0-9 and _, starting with a letter")
        return nil
    }

    /// Shortens a long name for messages.
    private static func shown(_ name: String) -> String {
        guard name.utf8.count > 128 else { return name }
        return "\(String(decoding: name.utf8.prefix(128), as: UTF8.self))…"
    }

    private mutating func choice<Choice: RawRepresentable & CaseIterable>(
        _ value: JSONValue, _ name: String, of property: String, _ type: Choice.Type
    ) -> Choice? where Choice.RawValue == String {
        if let text = value[name]?.stringValue, let choice = Choice(foreign: text) { return choice }
        let choices = Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        report(
            property, "\"\(name)\" is \(value[name].map { Self.shown($0.text) } ?? "missing")",
            "Choose one of \(choices)")
        return nil
    }

    private mutating func report(_ property: String?, _ reason: String, _ cure: String) {
        problems.append(SchemaProblem(reason, cure: cure, entity: entity, property: property))
    }
}
