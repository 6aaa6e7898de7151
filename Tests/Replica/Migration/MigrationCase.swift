import RoostModel

/// Two versions of a schema with one or several differences.
struct MigrationCase: Sendable, CustomStringConvertible {
    let description: String
    /// The replacements made in ``first`` for both versions.
    let common: [(String, String)]
    /// The replacements made for the later version only.
    let edits: [(String, String)]
    private(set) var isReversed = false

    init(_ description: String, common: [(String, String)] = [], _ edits: (String, String)...) {
        self.description = description
        self.common = common
        self.edits = edits
    }

    var old: String { text(version: 1, isEdited: isReversed) }
    var new: String { text(version: 2, isEdited: !isReversed) }
    /// The earlier version with a still later version number.
    var back: String { text(version: 3, isEdited: isReversed) }

    /// The migration in the other direction.
    private var reversed: MigrationCase {
        var item = MigrationCase("the other way: \(description)", common: common, edits)
        item.isReversed = !isReversed
        return item
    }

    private func text(version: Int, isEdited: Bool) -> String {
        let start = Self.first.replacing("\"version\": 1", with: "\"version\": \(version)")
        let text = (common + (isEdited ? edits : [])).reduce(start) { text, edit in
            precondition(text.contains(edit.0), "\(description): the schema has no \(edit.0)")
            return text.replacing(edit.0, with: edit.1)
        }
        return Self.unmarked(text)
    }

    /// Removes the placeholders in which nothing was inserted.
    private static func unmarked(_ text: String) -> String {
        ["people", "attributes", "references", "entities"].reduce(text) { $0.replacing("/*\($1)*/", with: "") }
    }

    static let renames = MigrationCase(
        "rename entity, attribute and relationship", (#""name": "Spending""#, #""name": "Expense""#),
        (#""destination": "Spending""#, #""destination": "Expense""#), (#""name": "content""#, #""name": "title""#),
        (#""name": "person", "kind""#, #""name": "payer", "kind""#), (#""inverse": "person""#, #""inverse": "payer""#))
    static let swap = MigrationCase(
        "two entities swap their names", (#""name": "Note""#, #""name": "X""#),
        (#""name": "Person""#, #""name": "Note""#),
        (#""destination": "Note""#, #""destination": "Y""#), (#""destination": "Person""#, #""destination": "Note""#),
        (#""name": "X""#, #""name": "Person""#), (#""destination": "Y""#, #""destination": "Person""#))
    static let attributes = MigrationCase(
        "add attributes, one with a default",
        (
            "/*attributes*/",
            #", {"id": 40, "name": "place", "type": "string", "optional": true}"#
                + #", {"id": 41, "name": "currency", "type": "string", "default": "EUR"}"#
        ))
    static let attributeGone = MigrationCase(
        "remove attributes", (#", {"id": 4, "name": "paid", "type": "boolean", "default": false}"#, ""),
        (#", {"id": 3, "name": "day", "type": "date", "optional": true}"#, ""))
    static let widerNumber = MigrationCase(
        "a whole number becomes a double",
        (#""name": "amount", "type": "integer""#, #""name": "amount", "type": "double", "widens": "integer""#))
    static let widerFlag = MigrationCase(
        "a boolean becomes a number",
        (
            #""name": "paid", "type": "boolean", "default": false"#,
            #""name": "paid", "type": "integer", "widens": "boolean", "default": 0"#
        ))
    static let widerText = MigrationCase(
        "a day becomes a text", (#""name": "day", "type": "date""#, #""name": "day", "type": "string""#))
    static let widerForms = MigrationCase(
        "JSON, an identifier and an instant become what holds them",
        common: [
            (
                "/*attributes*/",
                #", {"id": 50, "name": "raw", "type": "json", "optional": true}"#
                    + #", {"id": 51, "name": "code", "type": "uuid", "optional": true}"#
                    + #", {"id": 52, "name": "at", "type": "timestamp"}"#
            )
        ], (#""raw", "type": "json""#, #""raw", "type": "string""#),
        (#""code", "type": "uuid""#, #""code", "type": "data""#),
        (#""at", "type": "timestamp""#, #""at", "type": "integer""#))
    static let single = MigrationCase(
        "one of several is the one", (#""inverse": "witness", "#, #""inverse": "witness", "single": true, "#))
    static let ordered = MigrationCase(
        "a relationship gets an order", (#""inverse": "person", "#, #""inverse": "person", "orderedBy": "content", "#))
    static let optional = MigrationCase(
        "what was required becomes optional",
        (
            #""name": "content", "type": "string""#,
            #""name": "content", "type": "string", "optional": true"#
        ))
    static let defaulted = MigrationCase(
        "what was optional gets a default",
        (
            #""name": "day", "type": "date", "optional": true"#,
            #""name": "day", "type": "date", "default": "2026-01-01""#
        ))
    static let defaultedNil = MigrationCase(
        "what stays optional gets a default",
        (
            #""name": "day", "type": "date", "optional": true"#,
            #""name": "day", "type": "date", "optional": true, "default": "2026-01-01""#
        ))
    static let otherDefault = MigrationCase(
        "another default", (#""type": "boolean", "default": false"#, #""type": "boolean", "default": true"#))
    static let attributesSwap = MigrationCase(
        "two attributes swap their names", (#""name": "content""#, #""name": "x""#),
        (#""name": "day""#, #""name": "content""#), (#""name": "x""#, #""name": "day""#))
    static let nameOfAGoneEntity = MigrationCase(
        "an entity takes the name of one that is gone",
        entityGone.edits + [
            (#""name": "Folder""#, #""name": "Note""#), (#""destination": "Folder""#, #""destination": "Note""#),
        ])
    static let newEntity = MigrationCase(
        "add an entity with references both ways",
        (
            "/*people*/",
            #", {"id": 60, "name": "trips", "kind": "toMany", "destination": "Trip", "inverse": "guide", "deleteRule": "deny"}"#
        ),
        (
            "/*references*/",
            #", {"id": 61, "name": "trip", "kind": "toOne", "destination": "Trip", "inverse": "spendings"}"#
        ),
        (
            "/*entities*/",
            #"""
            , {"id": 6, "name": "Trip", "attributes": [{"id": 1, "name": "name", "type": "string"}], "relationships": [
              {"id": 2, "name": "guide", "kind": "toOne", "destination": "Person", "inverse": "trips"},
              {"id": 3, "name": "spendings", "kind": "toMany", "destination": "Spending", "inverse": "trip", "deleteRule": "cascade"}]}
            """#
        ))
    static let links = MigrationCase(
        "add a many-to-many relationship",
        (
            "/*people*/",
            #", {"id": 62, "name": "shared", "kind": "manyToMany", "destination": "Spending", "inverse": "sharers"}"#
        ),
        (
            "/*references*/",
            #", {"id": 63, "name": "sharers", "kind": "manyToMany", "destination": "Person", "inverse": "shared"}"#
        ))
    static let heldLinks = MigrationCase(
        "links hold an end back", common: links.edits,
        (
            #""destination": "Spending", "inverse": "sharers""#,
            #""destination": "Spending", "inverse": "sharers", "deleteRule": "deny""#
        ))
    static let renamedLinks = MigrationCase(
        "links get another name", common: links.edits, (#""name": "shared""#, #""name": "split""#),
        (#""inverse": "shared""#, #""inverse": "split""#))
    static let entityGone = MigrationCase(
        "remove an entity", (Self.note, ""),
        (
            #", {"id": 30, "name": "notes", "kind": "toMany", "destination": "Note", "inverse": "spending", "deleteRule": "cascade"}"#,
            ""
        ))
    static let relationshipGone = MigrationCase(
        "remove a relationship that cascades",
        (
            #"{"id": 5, "name": "spendings", "kind": "toMany", "destination": "Spending", "inverse": "person", "deleteRule": "cascade"}, "#,
            ""
        ),
        (#"{"id": 8, "name": "person", "kind": "toOne", "destination": "Person", "inverse": "spendings"}, "#, ""))
    static let treeGone = MigrationCase("a hierarchy is none any more", (#", "tree": true"#, ""))
    /// Delete rules of an entity for itself.
    static let ownRules = ["nullify", "deny", "noAction"].map { other in
        MigrationCase(
            "folders: cascade becomes \(other)", common: treeGone.edits,
            (#""inverse": "parent", "deleteRule": "cascade""#, #""inverse": "parent", "deleteRule": "\#(other)""#))
    }

    /// Each delete rule of each relationship becomes each other one.
    static let rules: [MigrationCase] = [
        ("spendings", "cascade"), ("approved", "nullify"), ("guaranteed", "deny"), ("seen", "noAction"),
    ].flatMap { name, rule in
        ["cascade", "nullify", "deny", "noAction"].filter { $0 != rule }.map { other in
            let end =
                #""name": "\#(name)", "kind": "toMany", "destination": "Spending", "inverse": "\#(inverses[name] ?? "")", "deleteRule": "#
            return MigrationCase("\(name): \(rule) becomes \(other)", ("\(end)\"\(rule)\"", "\(end)\"\(other)\""))
        }
    }

    private static let inverses = [
        "spendings": "person", "approved": "approver", "guaranteed": "guarantor", "seen": "witness",
    ]

    static let several = MigrationCase(
        "all at once", entityGone.edits + renames.edits + attributes.edits + widerNumber.edits + treeGone.edits)

    private init(_ description: String, common: [(String, String)] = [], _ edits: [(String, String)]) {
        self.description = description
        self.common = common
        self.edits = edits
    }

    static let all: [MigrationCase] = forwards + reversible.map(\.reversed)

    /// The cases whose earlier version may follow the later one.
    static let reversible =
        [
            renames, swap, attributesSwap, nameOfAGoneEntity, attributes, attributeGone, otherDefault, defaultedNil,
            newEntity,
            links, heldLinks, entityGone, relationshipGone, treeGone, single, ordered,
        ] + ownRules

    private static let forwards: [MigrationCase] =
        [
            MigrationCase("nothing"), renames, swap, attributes, attributeGone, widerNumber, widerFlag, widerText,
            widerForms, single, ordered,
            optional,
            defaulted, defaultedNil, otherDefault, attributesSwap, nameOfAGoneEntity, newEntity, links, heldLinks,
            renamedLinks, entityGone, relationshipGone, treeGone, several,
        ] + rules + ownRules

    private static let note = #"""
        , {"id": 3, "name": "Note", "attributes": [{"id": 1, "name": "text", "type": "string"}], "relationships": [
          {"id": 2, "name": "spending", "kind": "toOne", "destination": "Spending", "inverse": "notes"}]}
        """#

    static let first = #"""
        {"format": 1, "name": "trip", "version": 1, "entities": [
          {"id": 1, "name": "Person", "attributes": [{"id": 1, "name": "name", "type": "string"}], "relationships": [
            {"id": 5, "name": "spendings", "kind": "toMany", "destination": "Spending", "inverse": "person", "deleteRule": "cascade"}, {"id": 6, "name": "approved", "kind": "toMany", "destination": "Spending", "inverse": "approver", "deleteRule": "nullify"},
            {"id": 7, "name": "guaranteed", "kind": "toMany", "destination": "Spending", "inverse": "guarantor", "deleteRule": "deny"},
            {"id": 11, "name": "seen", "kind": "toMany", "destination": "Spending", "inverse": "witness", "deleteRule": "noAction"}/*people*/]},
          {"id": 2, "name": "Spending", "attributes": [{"id": 1, "name": "content", "type": "string"}, {"id": 2, "name": "amount", "type": "integer"}, {"id": 3, "name": "day", "type": "date", "optional": true}, {"id": 4, "name": "paid", "type": "boolean", "default": false}/*attributes*/], "relationships": [
            {"id": 8, "name": "person", "kind": "toOne", "destination": "Person", "inverse": "spendings"}, {"id": 9, "name": "approver", "kind": "toOne", "destination": "Person", "inverse": "approved"},
            {"id": 10, "name": "guarantor", "kind": "toOne", "destination": "Person", "inverse": "guaranteed"},
            {"id": 12, "name": "witness", "kind": "toOne", "destination": "Person", "inverse": "seen"}, {"id": 30, "name": "notes", "kind": "toMany", "destination": "Note", "inverse": "spending", "deleteRule": "cascade"}/*references*/]}
        """# + note + #"""
              , {"id": 4, "name": "Folder", "attributes": [{"id": 1, "name": "name", "type": "string"}], "relationships": [
                {"id": 2, "name": "parent", "kind": "toOne", "destination": "Folder", "inverse": "children", "tree": true},
                {"id": 3, "name": "children", "kind": "toMany", "destination": "Folder", "inverse": "parent", "deleteRule": "cascade"}]}/*entities*/]}
            """#
}
