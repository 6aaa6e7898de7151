extension Schema {
    /// Reads a schema file.
    ///
    /// - Throws: ``SchemaError`` with every problem found; each names its entity, its property and the cure.
    public init(json text: String) throws(SchemaError) {
        let value: JSONValue
        do {
            value = try JSONParser.parse(text)
        } catch {
            throw SchemaError([SchemaProblem("The file is not JSON: \(error)", cure: "Correct the text there")])
        }
        var reader = SchemaReader()
        self = reader.schema(value, source: text)
        if reader.problems.isEmpty { reader.problems = SchemaValidator.errors(in: self) }
        guard reader.problems.isEmpty else { throw SchemaError(reader.problems) }
    }
}

/// A reader of a ``Schema`` from the JSON of a schema file. It collects the parts that do not have the right form.
struct SchemaReader {
    /// The version of the file format.
    static let formatVersion = 1

    var problems: [SchemaProblem] = []
    private var entity: String?

    mutating func schema(_ value: JSONValue, source: String) -> Schema {
        guard value.members != nil else {
            report(
                nil, "the file holds \(value.kindName)", "Write an object with \"format\", \"name\" and \"entities\"")
            return Schema(name: "", version: 1, entities: [])
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
            name: text(value, "name") ?? "", version: Int(clamping: max(version, 1)),
            minimumVersion: Int(clamping: max(minimum, 1)), entities: entities, source: source)
    }

    private mutating func entity(_ value: JSONValue, at index: Int) -> Entity {
        entity = value["name"]?.stringValue.map(Self.shown) ?? "number \(index + 1)"
        defer { entity = nil }
        guard isObject(value, "the entity") else { return Entity(id: EntityID(0), name: "") }
        return Entity(
            id: EntityID(identifier(value, nil)), name: text(value, "name") ?? "",
            attributes: list(value, "attributes").map { attribute($0) },
            relationships: list(value, "relationships").map { relationship($0) })
    }

    private mutating func attribute(_ value: JSONValue) -> Attribute {
        guard isObject(value, "an attribute") else { return Attribute(id: PropertyID(0), name: "", kind: .string) }
        let name = text(value, "name", ofProperty: true) ?? ""
        let known = choice(value, "type", of: name, Attribute.Kind.self)
        let kind = known ?? .string
        var attribute = Attribute(
            id: PropertyID(identifier(value, name)), name: name, kind: kind,
            isOptional: flag(value, "optional", of: name) ?? false)
        if let given = value["default"], given != .null, known != nil {
            do throws(AttributeJSON.Mismatch) {
                let value = try AttributeJSON.value(given, kind: kind)
                if case .real(let number) = value, !number.isFinite {
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
            return Relationship(id: PropertyID(0), name: "", kind: .toOne, destination: "", inverse: "")
        }
        let name = text(value, "name", ofProperty: true) ?? ""
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
            id: PropertyID(identifier(value, name)), name: name, kind: kind,
            destination: word(value["destination"]?.stringValue ?? "", name),
            inverse: word(value["inverse"]?.stringValue ?? "", name),
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
        }
        return []
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
        return 0
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
        return given.stringValue.map { word($0, property) }
    }

    /// Returns a name that is ASCII and not too long, and reports any other name. Later steps compare names, fold their
    /// case and look them up, which for other text may take time that grows with the square of its length.
    private mutating func word(_ name: String, _ property: String?) -> String {
        if name.utf8.count <= 256, name.utf8.allSatisfy({ $0 < 0x80 }) { return name }
        report(
            property, "the name \"\(Self.shown(name))\" cannot be used",
            "Use 1 to 64 of a-z, A-Z, 0-9 and _, starting with a letter")
        return ""
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
