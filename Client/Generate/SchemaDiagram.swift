/// A diagram of a schema: its entities with their attributes, and its relationships.
package enum SchemaDiagram {
    /// Draws an entity relationship diagram of Mermaid, which GitHub, GitLab and many editors show.
    ///
    /// A relationship is a line between its two ends: `||` is one record, `|o` one or none, `o{` any number. Its label names both ends
    /// and their delete rules other than `nullify`.
    package static func mermaid(_ schema: Schema) -> String {
        let lines = schema.entities.flatMap { entity($0) }
        let ends = schema.entities.flatMap { relationships(of: $0, in: schema) }
        return (["erDiagram"] + (lines + ends).map { "    \($0)" }).joined(separator: "\n") + "\n"
    }

    private static func entity(_ entity: Entity) -> [String] {
        guard !entity.attributes.isEmpty else { return [quoted(entity.name)] }
        return ["\(quoted(entity.name)) {"] + entity.attributes.map { "    \(attribute($0))" } + ["}"]
    }

    private static func attribute(_ attribute: Attribute) -> String {
        var notes = attribute.isOptional ? ["optional"] : []
        if let value = attribute.defaultValue { notes.append("default \(text(value))") }
        let note = notes.isEmpty ? "" : " \(quoted(notes.joined(separator: ", ")))"
        return "\(attribute.kind.rawValue) \(attribute.name)\(note)"
    }

    /// The lines of the relationships that an entity stores: each relationship is stored at one of its ends.
    private static func relationships(of entity: Entity, in schema: Schema) -> [String] {
        entity.relationships.compactMap { relationship in
            let other = schema.entity(named: relationship.destination)
            let inverse = other?.relationship(named: relationship.inverse)
            switch relationship.kind {
            case .toOne:
                let many = inverse?.isSingle == true ? "o|" : "o{"
                let one = relationship.isOptional ? "|o" : "||"
                return line(relationship.destination, "\(one)--\(many)", entity.name, inverse, relationship)
            case .manyToMany where schema.ownsLink(entity, relationship):
                return line(entity.name, "}o--o{", relationship.destination, relationship, inverse)
            case .manyToMany, .toMany: return nil
            }
        }
    }

    private static func line(
        _ left: String, _ mark: String, _ right: String, _ first: Relationship?, _ second: Relationship?
    ) -> String {
        let ends = [first, second].compactMap { end in
            end.map { end in
                // The rule of a reference is that of its inverse.
                let hasRule = end.kind != .toOne && end.deleteRule != .nullify
                return end.name + (hasRule ? " (\(end.deleteRule.rawValue))" : "") + (end.isTree ? " (tree)" : "")
            }
        }
        return "\(quoted(left)) \(mark) \(quoted(right)) : \(quoted(ends.joined(separator: " / ")))"
    }

    private static func text(_ value: Value) -> String {
        switch value {
        case .null: "null"
        case .string(let text): text
        case .integer(let number): String(number)
        case .double(let number): "\(number)"
        case .boolean(let flag): String(flag)
        case .data(let bytes): "\(bytes.count) bytes"
        }
    }

    /// Puts a text in quotes, which Mermaid has no way to write inside them.
    private static func quoted(_ text: String) -> String {
        var line = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            line.append(scalar == "\"" ? "'" : scalar.properties.generalCategory == .control ? " " : scalar)
        }
        return "\"\(String(line))\""
    }
}
