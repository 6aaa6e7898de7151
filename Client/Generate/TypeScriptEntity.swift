/// The declarations of one entity in TypeScript: an interface of its properties, and a constant.
struct TypeScriptEntity {
    /// The length of a line, as in this project's TypeScript.
    private static let lineLength = 120

    private struct Property {
        let id: PropertyID
        let name: String
        let type: String
        /// The meaning that the type does not say; `nil` where it says all.
        let comment: String?
    }

    private let entity: Entity
    private let names: TypeScriptNames
    /// The properties by ascending number.
    private let properties: [Property]
    /// The constants of the entities at the other ends of the relationships, each once.
    private let destinations: [String]

    init(_ entity: Entity, _ schema: Schema, _ names: TypeScriptNames) {
        self.entity = entity
        self.names = names
        let relationships = entity.relationships.sorted { $0.id < $1.id }
        let attributes = entity.attributes.map { attribute in
            (id: attribute.id, name: attribute.name, type: Self.type(attribute), comment: Self.comment(attribute))
        }
        let ends = relationships.map { relationship in
            let fields = schema.entity(named: relationship.destination).map { names.fields($0) } ?? "unknown"
            let isOne = relationship.kind == .toOne || relationship.isSingle
            return (
                id: relationship.id, name: relationship.name, type: "\(isOne ? "One" : "Many")<\(fields)>",
                comment: relationship.orderedBy.map { "In the order of their \"\($0)\"." }
            )
        }
        let all = (attributes + ends).sorted { $0.id < $1.id }
        properties = zip(all, names.properties(all.map(\.name))).map { property, name in
            Property(id: property.id, name: name, type: property.type, comment: property.comment)
        }
        var destinations: [String] = []
        for relationship in relationships {
            guard let other = schema.entity(named: relationship.destination).map({ names.type($0) }),
                !destinations.contains(other)
            else { continue }
            destinations.append(other)
        }
        self.destinations = destinations
    }

    /// Whether the entity has a relationship of which programs see at most one record, or several.
    func uses(_ marker: String) -> Bool { properties.contains { $0.type.utf8.starts(with: "\(marker)<".utf8) } }

    var source: String { "\(interface)\n\(constant)" }

    private var interface: String {
        let comment = "/** The properties of the entity \"\(entity.name)\". */\n"
        let name = names.fields(entity)
        guard !properties.isEmpty else { return "\(comment)export type \(name) = Record<never, never>;\n" }
        let lines = properties.map { property in
            (property.comment.map { "  /** \($0) */\n" } ?? "") + "  \(property.name): \(property.type);\n"
        }
        return "\(comment)export interface \(name) {\n\(lines.joined())}\n"
    }

    private var constant: String {
        let (type, fields) = (names.type(entity), names.fields(entity))
        let head = "export const \(type): EntityType<\(fields)> = entity<\(fields)>("
        let numbers = properties.map { "\($0.name): \($0.id.rawValue)" }
        let values = numbers.isEmpty ? "{}" : "{ \(numbers.joined(separator: ", ")) }"
        let others = destinations.isEmpty ? [] : ["() => [\(destinations.joined(separator: ", "))]"]
        let first = ["\"\(entity.name)\"", "\(entity.id.rawValue)"]
        let line = "\(head)\((first + [values] + others).joined(separator: ", ")));"
        guard line.count > Self.lineLength else { return "\(line)\n" }
        let isShort = "  \(values),".count <= Self.lineLength
        let object = isShort ? values : "{\n\(numbers.map { "    \($0),\n" }.joined())  }"
        return "\(head)\n\((first + [object] + others).map { "  \($0),\n" }.joined()));\n"
    }

    // MARK: Types of attributes

    private static func type(_ attribute: Attribute) -> String {
        let type =
            switch attribute.kind {
            case .string, .date, .uuid: "string"
            case .integer, .timestamp: "number | bigint"
            case .double: "number"
            case .boolean: "boolean"
            case .data: "Uint8Array"
            case .json: "unknown"
            }
        return attribute.isOptional && attribute.kind != .json ? "\(type) | null" : type
    }

    private static func comment(_ attribute: Attribute) -> String? {
        switch attribute.kind {
        case .date: "A day, written `YYYY-MM-DD`."
        case .timestamp: "Milliseconds since 1970. A `Date` is accepted."
        case .uuid: "A UUID of 36 characters."
        case .json: "A JSON value."
        case .string, .integer, .double, .boolean, .data: nil
        }
    }
}
