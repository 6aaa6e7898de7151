/// The generator of one entity's struct.
struct SwiftStruct {
    private let entity: Entity
    private let type: String
    private let names: SwiftNames
    private let access: String
    /// The attributes and references by ascending identifier, in the order of the table's columns.
    private let properties: [SwiftProperty]

    init(_ entity: Entity, schema: Schema, names: SwiftNames, access: String) {
        self.entity = entity
        self.names = names
        self.access = access
        type = names.type(entity)
        let rules = ReferenceRules(schema)
        let columns =
            (entity.attributes.map { ($0.id, $0.name) } + entity.references.map { ($0.id, $0.name) }).sorted {
                $0.0 < $1.0
            }
        properties = zip(columns, names.properties(columns.map(\.1))).compactMap { column, name in
            if let attribute = entity.attributes.first(where: { $0.id == column.0 }) {
                return SwiftProperty(attribute, name: name)
            }
            guard let relationship = entity.references.first(where: { $0.id == column.0 }) else { return nil }
            return SwiftProperty(relationship, rule: rules.rule(entity.id, relationship.id), name: name)
        }
    }

    var source: String {
        """
        /// A record of the entity "\(entity.name)".
        \(access)nonisolated struct \(type): Hashable, Sendable {
        \(constants)
        \(stored)
        \(memberwise)
        \(reading)
        \(values)\(link)
        }

        """
    }

    private var constants: String {
        let columns = SwiftLayout.elements((["id"] + properties.map(\.column)).map { "        \"\($0)\"" })
        return """
                /// The entity's name in the schema.
                \(access)static let entityName = "\(entity.name)"
                /// The name of the entity's table in a replica.
                \(access)static let tableName = "\(entity.name.lowercased())"
                /// The columns in the order in which `init(row:)` takes them.
                \(access)static let columns = [
            \(columns)
                ]

            """
    }

    private var stored: String {
        let lines = properties.map { property in
            """
                /// \(property.documentation)
                \(access)var \(property.quotedName): \(property.type)
            """
        }
        return (["    /// The record's identifier.\n    \(access)var id: RecordID"] + lines).joined(separator: "\n")
            + "\n"
    }

    private var memberwise: String {
        let parameters =
            (["id: RecordID"]
            + properties.map { property in
                "\(property.quotedName): \(property.type)" + (property.defaultText.map { " = \($0)" } ?? "")
            }).map { "        \($0)" }.joined(separator: ",\n")
        let assignments = ["id"] + properties.map(\.name)
        return """
                /// Makes a record; what has a default or may be nil can be left out.
                \(access)init(
            \(parameters)
                ) {
            \(assignments.map { line("        self.\($0) =", SwiftNames.quoted($0)) }.joined(separator: "\n"))
                }

            """
    }

    private var reading: String {
        let lines = properties.enumerated().map { index, property in
            line("        self.\(property.name) =", property.reading(index + 1))
        }
        return """
                /// Reads a row of ``columns``.
                \(access)init(row values: [Value]) throws(\(names.error)) {
                    let row = try \(names.reader)(values, of: Self.entityName, columns: Self.columns)
            \((["        self.id = try row.required(0) { $0.identifier }"] + lines).joined(separator: "\n"))
                }

            """
    }

    private var values: String {
        let lines = properties.map { line("            \"\($0.column)\":", $0.value, spare: 1) }
        let body = lines.isEmpty ? "        [:]" : "        [\n\(SwiftLayout.elements(lines))\n        ]"
        return """
                /// Everything but the identifier, by name, as a local transaction takes it.
                \(access)var values: [String: Value] {
            \(body)
                }
            """
    }

    /// The function that derives a link's identifier. Two devices that make a link between two records thus make one record.
    private var link: String {
        guard entity.id.rawValue > 0xFFFF else { return "" }
        return """


                /// The identifier of the link between two records, the same on every device.
                \(access)static func id(source: RecordID, target: RecordID) -> RecordID {
                    RecordID(derivedFrom: ["roost-link", "\(entity.id)", source.description, target.description])
                }
            """
    }

    // MARK: Layout

    /// Lays out one line, or two if one were longer than 120 characters.
    private func line(_ head: String, _ tail: String, spare: Int = 0) -> String {
        if head.utf8.count + 1 + tail.utf8.count + spare <= 120 { return "\(head) \(tail)" }
        let indent = head.indentation
        return "\(head)\n\(indent)    \(tail)"
    }
}
