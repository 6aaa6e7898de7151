package import RoostModel

/// The schema of the simulated replicas: an entity for each delete rule, and two whose amounts must always add up to zero.
package enum SampleSchema {
    package static let folder = EntityID(1)
    package static let item = EntityID(2)
    package static let label = EntityID(3)
    package static let owner = EntityID(4)
    /// The two halves of a pair, which one transaction writes with amounts that add up to zero.
    package static let debit = EntityID(5)
    package static let credit = EntityID(6)
    /// An entity with one attribute of each type, in runs with a foreign writer.
    package static let asset = EntityID(9)

    /// The attributes of every entity.
    package static let text = PropertyID(1)
    package static let number = PropertyID(2)

    /// One stored reference, with its column.
    package struct Reference: Hashable, Sendable {
        package var entity: EntityID
        package var property: PropertyID
        package var column: String
        package var destination: EntityID
    }

    package static let references = [
        Reference(entity: folder, property: PropertyID(10), column: "parent", destination: folder),
        Reference(entity: item, property: PropertyID(11), column: "folder", destination: folder),
        Reference(entity: item, property: PropertyID(12), column: "label", destination: label),
        Reference(entity: item, property: PropertyID(13), column: "owner", destination: owner),
        Reference(entity: item, property: PropertyID(14), column: "peer", destination: item),
        // A second parent: an item is visible only while both are.
        Reference(entity: item, property: PropertyID(15), column: "box", destination: folder),
    ]

    package static let tables: [(entity: EntityID, name: String)] = [
        (folder, "Folder"), (item, "Item"), (label, "Label"), (owner, "Owner"), (debit, "Debit"), (credit, "Credit"),
    ]

    /// Returns the tables of a version's schema.
    static func tables(version: Int) -> [(entity: EntityID, name: String)] { tables + extras(version: version) }

    /// Returns the entities that versions after the first add.
    static func extras(version: Int) -> [(entity: EntityID, name: String)] {
        (1..<version).map { (EntityID(UInt32(6 + $0)), "Extra\($0)") }
    }

    /// Returns the attributes of items that versions after the first add, each with ``noteDefault``.
    static func notes(version: Int) -> [(property: PropertyID, name: String)] {
        (1..<version).map { (PropertyID(UInt32(20 + $0)), "note\($0)") }
    }

    /// The default of a note.
    static let noteDefault = "new"

    package static func name(_ entity: EntityID) -> String {
        if entity == asset { return "Asset" }
        return tables(version: versions).first { $0.entity == entity }?.name ?? "entity \(entity)"
    }

    /// Returns whether some version has a table of this name.
    static func isTable(_ name: String) -> Bool {
        name == "asset" || tables(version: versions).contains { $0.name.lowercased() == name }
    }

    /// The attributes that only assets have.
    static let assetColumns = [
        ForeignTable.Column(name: "score", property: PropertyID(41), kind: .real),
        ForeignTable.Column(name: "payload", property: PropertyID(42), kind: .data),
        ForeignTable.Column(name: "memo", property: PropertyID(43), kind: .json),
        ForeignTable.Column(name: "flag", property: PropertyID(44), kind: .boolean, defaultValue: .integer(0)),
        ForeignTable.Column(name: "day", property: PropertyID(45), kind: .date),
        ForeignTable.Column(name: "moment", property: PropertyID(46), kind: .timestamp),
        ForeignTable.Column(name: "code", property: PropertyID(47), kind: .uuid),
    ]

    private static let assets = """
        , {"id": 9, "name": "Asset", "attributes": [
          {"id": 1, "name": "text", "type": "string", "default": ""},
          {"id": 2, "name": "number", "type": "integer", "default": 0},
          {"id": 41, "name": "score", "type": "double", "optional": true},
          {"id": 42, "name": "payload", "type": "data", "optional": true},
          {"id": 43, "name": "memo", "type": "json", "optional": true},
          {"id": 44, "name": "flag", "type": "boolean", "default": false},
          {"id": 45, "name": "day", "type": "date", "optional": true},
          {"id": 46, "name": "moment", "type": "timestamp", "optional": true},
          {"id": 47, "name": "code", "type": "uuid", "optional": true}]}
        """

    /// The highest version. Each version after the first adds an attribute to items and an entity.
    package static let versions = 3

    /// Returns the references that hide a record together with their target.
    static func cascades(_ kind: Kind) -> [PropertyID] {
        (kind == .plain ? [] : [PropertyID(10)]) + [PropertyID(11), PropertyID(15)]
    }

    /// The delete rules of the schema. A replica takes shorter paths without `deny` and a hierarchy.
    package enum Kind: Hashable, Sendable {
        /// All four delete rules, and a hierarchy.
        case full
        /// No `deny` and no hierarchy.
        case plain
        /// ``full``, and an entity with an attribute of each type.
        case foreign
    }

    /// Returns the schema file of a version, from 1.
    package static func text(version: Int, _ kind: Kind = .full) -> String {
        let hierarchy = kind == .plain ? "" : #", "tree": true"#
        let (ofFolders, ofOwners) = kind == .plain ? ("nullify", "nullify") : ("cascade", "deny")
        let attributes = """
            {"id": 1, "name": "text", "type": "string", "default": ""},
            {"id": 2, "name": "number", "type": "integer", "default": 0}
            """
        let notes = notes(version: version).map {
            #", {"id": \#($0.property), "name": "\#($0.name)", "type": "string", "default": "\#(noteDefault)"}"#
        }
        let extras = extras(version: version).map {
            #", {"id": \#($0.entity), "name": "\#($0.name)", "attributes": [\#(attributes)]}"#
        }
        return """
            {"format": 1, "name": "simulation", "version": \(version), "entities": [
            {"id": 1, "name": "Folder", "attributes": [\(attributes)], "relationships": [
              {"id": 10, "name": "parent", "kind": "toOne", "destination": "Folder", "inverse": "children"\(hierarchy)},
              {"id": 30, "name": "children", "kind": "toMany", "destination": "Folder", "inverse": "parent",
               "deleteRule": "\(ofFolders)"},
              {"id": 31, "name": "items", "kind": "toMany", "destination": "Item", "inverse": "folder",
               "deleteRule": "cascade"},
              {"id": 35, "name": "boxed", "kind": "toMany", "destination": "Item", "inverse": "box",
               "deleteRule": "cascade"}]},
            {"id": 2, "name": "Item", "attributes": [\(attributes)\(notes.joined())], "relationships": [
              {"id": 11, "name": "folder", "kind": "toOne", "destination": "Folder", "inverse": "items"},
              {"id": 12, "name": "label", "kind": "toOne", "destination": "Label", "inverse": "items"},
              {"id": 13, "name": "owner", "kind": "toOne", "destination": "Owner", "inverse": "items"},
              {"id": 14, "name": "peer", "kind": "toOne", "destination": "Item", "inverse": "peers"},
              {"id": 15, "name": "box", "kind": "toOne", "destination": "Folder", "inverse": "boxed"},
              {"id": 32, "name": "peers", "kind": "toMany", "destination": "Item", "inverse": "peer",
               "deleteRule": "noAction"}]},
            {"id": 3, "name": "Label", "attributes": [\(attributes)], "relationships": [
              {"id": 33, "name": "items", "kind": "toMany", "destination": "Item", "inverse": "label",
               "deleteRule": "nullify"}]},
            {"id": 4, "name": "Owner", "attributes": [\(attributes)], "relationships": [
              {"id": 34, "name": "items", "kind": "toMany", "destination": "Item", "inverse": "owner",
               "deleteRule": "\(ofOwners)"}]},
            {"id": 5, "name": "Debit", "attributes": [\(attributes)]},
            {"id": 6, "name": "Credit", "attributes": [\(attributes)]}\(extras.joined())\(kind == .foreign ? assets : "")]}
            """
    }
}
