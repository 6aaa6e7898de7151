import Foundation
import RoostModel
import Testing

/// `Docs/schema.schema.json` describes exactly what the reader accepts.
@Suite struct SchemaFormatTests {
    private static func published() throws -> JSONValue {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try JSONParser.parse(Array(Data(contentsOf: root.appending(path: "Docs/schema.schema.json"))))
    }

    private static func object(_ name: String?) throws -> JSONValue {
        let file = try published()
        return try #require(name.map { file["$defs"]?[$0] } ?? file)
    }

    private static func strings(_ value: JSONValue?) -> [String] {
        (value?.arrayValue ?? []).compactMap(\.stringValue)
    }

    @Test(
        arguments: [
            (nil, SchemaKeys.schema), ("entity", SchemaKeys.entity), ("attribute", SchemaKeys.attribute),
            ("relationship", SchemaKeys.relationship),
        ] as [(String?, [String])])
    func keysAreThoseOfTheReader(object: String?, keys: [String]) throws {
        #expect(try Self.object(object)["properties"]?.members?.map(\.name) == keys)
    }

    @Test(arguments: [
        ("attribute", "type", Attribute.Kind.allCases.map(\.rawValue)),
        ("relationship", "kind", Relationship.Kind.allCases.map(\.rawValue)),
        ("relationship", "deleteRule", Relationship.DeleteRule.allCases.map(\.rawValue)),
    ])
    func choicesAreThoseOfTheReader(object: String, key: String, choices: [String]) throws {
        #expect(try Self.strings(Self.object(object)["properties"]?[key]?["enum"]) == choices)
    }

    /// A file with every key but one is refused exactly where that key is required.
    @Test(
        arguments: [
            (nil, SchemaKeys.schema), ("entity", SchemaKeys.entity), ("attribute", SchemaKeys.attribute),
            ("relationship", SchemaKeys.relationship),
        ] as [(String?, [String])])
    func requiredKeysAreThoseOfTheReader(object: String?, keys: [String]) throws {
        let required = keys.filter { (try? Schema(json: Self.file(without: $0, in: object))) == nil }
        #expect(try Set(Self.strings(Self.object(object)["required"])) == Set(required))
    }

    /// A value of the wrong type is refused for each key of `object`, so the reader does read the key.
    @Test(
        arguments: [
            (nil, ["format", "name", "version", "entities"]), ("entity", SchemaKeys.entity),
            ("attribute", ["id", "name", "type", "optional", "default"]), ("relationship", SchemaKeys.relationship),
        ] as [(String?, [String])])
    func everyKeyIsRead(object: String?, keys: [String]) throws {
        let ignored = keys.filter { (try? Schema(json: Self.file(changing: $0, in: object))) != nil }
        #expect(ignored.isEmpty)
    }

    private static func file(without key: String, in object: String?) -> String {
        file(object) { $0.filter { $0.name != key } }
    }

    private static func file(changing key: String, in object: String?) -> String {
        file(object) { $0.map { $0.name == key ? .init(key, .object([])) : $0 } }
    }

    private static func file(
        _ object: String?, _ change: ([JSONValue.Member]) -> [JSONValue.Member]
    ) -> String {
        func members(_ name: String?, _ members: [JSONValue.Member]) -> JSONValue {
            .object(name == object ? change(members) : members)
        }
        let attribute = members(
            "attribute",
            [
                .init("id", .number("1")), .init("name", .string("a")), .init("type", .string("string")),
                .init("optional", .boolean(true)), .init("default", .string("x")),
            ])
        // Only changes to a relationship leave the attribute that `orderedBy` names in place.
        let isAboutRelationships = object == "relationship"
        let order = isAboutRelationships ? [JSONValue.Member("orderedBy", .string("place"))] : []
        let place = JSONValue.members(("id", .number("4")), ("name", .string("place")), ("type", .string("string")))
        let relationship = members(
            "relationship",
            [
                .init("id", .number("2")), .init("name", .string("down")), .init("kind", .string("toMany")),
                .init("destination", .string("A")), .init("inverse", .string("up")),
                .init("deleteRule", .string("nullify")), .init("optional", .boolean(true)),
                .init("tree", .boolean(false)), .init("single", .boolean(false)),
            ] + order)
        // Both ends belong to one entity, so a file without its relationships is still consistent.
        let inverse = JSONValue.members(
            ("id", .number("3")), ("name", .string("up")), ("kind", .string("toOne")), ("destination", .string("A")),
            ("inverse", .string("down")))
        let entity = members(
            "entity",
            [
                .init("id", .number("1")), .init("name", .string("A")),
                .init("attributes", .array(isAboutRelationships ? [attribute, place] : [attribute])),
                .init("relationships", .array([relationship, inverse])),
            ])
        return members(
            nil,
            [
                .init("$schema", .string("schema.schema.json")), .init("format", .number("1")),
                .init("name", .string("test")), .init("version", .number("1")), .init("entities", .array([entity])),
            ]
        ).text
    }
}
