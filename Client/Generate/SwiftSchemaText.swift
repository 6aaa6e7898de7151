/// The declaration that contains the schema file's text.
enum SwiftSchemaText {
    static func source(_ schema: Schema, _ names: SwiftNames, _ form: SwiftForm, _ access: String) -> String {
        let text = literalText(schema.source)
        let marks = String(repeating: "#", count: longestRun(of: UInt8(ascii: "#"), in: text) + 1)
        let lines = text.parts(at: "\n", keepsEmpty: true)
            .map { $0.isEmpty ? "" : "        \($0)" }.joined(separator: "\n")
        return """
            /// The schema "\(schema.name)" as it was when this file was generated.
            \(access)nonisolated enum \(names.schema)\(form == .classes ? ": SchemaSource" : "") {
                /// The schema's version.
                \(access)static let version = \(schema.version)

                /// The text of the schema file, for `Schema(json:)`.
                \(access)static let text = \(marks)\"\"\"
            \(lines)
                    \"\"\"\(marks)\(form == .classes ? classes(schema, names, access) : "")
            }

            """
    }

    private static func classes(_ schema: Schema, _ names: SwiftNames, _ access: String) -> String {
        let types = schema.entities.map { names.type($0) }
        return """


                /// The classes of all entities, for a coordinator. Subclasses of them go behind: an entity's last class counts.
                \(access)static let classes: [ManagedObject.Type] = [
            \(SwiftLayout.elements(types.map { "        \($0).self" }))
                ]

                /// The names of all their properties in the schema, for a `#Predicate` that goes through relationships.
                \(access)static var propertyNames: [AnyKeyPath: String] {
                    let names = [
            \(SwiftLayout.elements(types.map { "            \($0).propertyNames" }))
                    ]
                    return names.reduce(into: [:]) { all, own in all.merge(own) { first, _ in first } }
                }
            """
    }

    /// Returns the schema's text, reformatted if a literal could not contain it unchanged.
    private static func literalText(_ source: String) -> String {
        let isPlain = source.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 }
        let hasLooseSpace = source.parts(at: "\n").contains { $0.ends(with: " ") }
        guard !isPlain || hasLooseSpace, let value = try? JSONParser.parse(source) else { return source }
        return value.prettyText
    }

    /// Counts bytes, like the compiler. A `#` followed by a combining mark is a different `Character`, but still ends a literal.
    private static func longestRun(of byte: UInt8, in text: String) -> Int {
        text.utf8.split { $0 != byte }.map(\.count).max() ?? 0
    }
}
