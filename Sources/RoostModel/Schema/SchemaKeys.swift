/// The keys that a schema file may use, by the object that contains them.
package enum SchemaKeys {
    package static let schema = ["$schema", "format", "name", "version", "minimumVersion", "entities"]
    package static let entity = ["id", "name", "attributes", "relationships"]
    package static let attribute = ["id", "name", "type", "optional", "default", "widens"]
    package static let relationship = [
        "id", "name", "kind", "destination", "inverse", "deleteRule", "optional", "tree", "single",
        "orderedBy",
    ]

    /// A key outside these lists, and its location.
    struct Unknown: Hashable {
        var key: String
        var entity: String?
        var property: String?
    }

    /// Finds the keys of a well-formed schema file that no version of Roost up to this one knows.
    static func unknown(in file: JSONValue) -> [Unknown] {
        var found = others(file, schema).map { Unknown(key: $0) }
        for entity in file["entities"]?.arrayValue ?? [] {
            let name = entity["name"]?.stringValue
            found += others(entity, Self.entity).map { Unknown(key: $0, entity: name) }
            for (list, known) in [("attributes", attribute), ("relationships", relationship)] {
                for property in entity[list]?.arrayValue ?? [] {
                    found += others(property, known).map {
                        Unknown(key: $0, entity: name, property: property["name"]?.stringValue)
                    }
                }
            }
        }
        return found
    }

    private static func others(_ object: JSONValue, _ known: [String]) -> [String] {
        (object.members ?? []).map(\.name).filter { !known.contains($0) }
    }
}
