/// The fields of an entity's class, from which typed predicates are built, and the names of the entity's properties.
struct ClassFields {
    /// The name of the class.
    let type: String
    let properties: [ClassProperty]
    let access: String

    var source: String {
        """
            /// The names of its properties in the schema, for Foundation's `#Predicate`.
            \(access)static var propertyNames: [AnyKeyPath: String] {
        \(names)
            }

            /// The parts of typed predicates: its attributes, and the fields of the other ends of its relationships.
            \(access)struct Fields: EntityFields {
                /// The way here from the record that is tested, with dots; empty for that one.
                \(access)let path: String

                /// Names the fields of the record that a path leads to.
                \(access)init(path: String) { self.path = path }
        \(fields)    }

        """
    }

    private var names: String {
        let lines = properties.map { property in
            let root = "            \\\(type)"
            let member = ".\(SwiftNames.quoted(property.name)):"
            let name = "\"\(property.schemaName)\""
            if SwiftLayout.fits("\(root)\(member) \(name),") { return "\(root)\(member) \(name)" }
            let indent = String(repeating: " ", count: 16)
            if SwiftLayout.fits("\(root)\(member)") { return "\(root)\(member)\n\(indent)\(name)" }
            return "\(root)\n\(indent)\(member)\n\(indent)\(name)"
        }
        return lines.isEmpty ? "        [:]" : "        [\n\(SwiftLayout.elements(lines))\n        ]"
    }

    private var fields: String {
        (properties.isEmpty ? "" : "\n")
            + properties.map { property in
                let name = "\"\(property.schemaName)\""
                let (fieldType, body) =
                    switch property.form {
                    case .attribute: ("FieldPath<\(property.baseType)>", "attribute(\(name))")
                    case .toOne, .single: ("\(property.baseType).Fields", "toOne(\(name))")
                    case .several: ("ManyFields<\(property.baseType).Fields>", "toMany(\(name))")
                    }
                let head = "        \(access)var \(SwiftNames.quoted(property.name))"
                return "        /// \(documentation(of: property))\n" + SwiftLayout.variable(head, fieldType, body)
            }.joined()
    }

    private func documentation(of property: ClassProperty) -> String {
        switch property.form {
        case .attribute: "The attribute \"\(property.schemaName)\"."
        case .toOne(let relationship, _, _), .single(let relationship, _):
            "The fields of its \"\(relationship.destination)\"."
        case .several(let relationship, _, _): "The fields of each of its \"\(relationship.destination)\"."
        }
    }
}
