import RoostModel
import Testing

/// The key `orderedBy` of a to-many relationship.
@Suite struct SchemaOrderTests {
    private static let key = #", "orderedBy": "place""#
    private static let place = #"{"id": 5, "name": "place", "type": "string", "optional": true}"#

    @Test func anOrderIsRead() throws {
        let schema = try Schema(json: SchemaText.ordered(Self.key, Self.place))
        #expect(schema.entity(named: "B")?.relationship(named: "as")?.orderedBy == "place")
        #expect(schema.warnings().isEmpty)
    }

    @Test(arguments: [
        (
            SchemaText.ordered(key, ""),
            "it is ordered by \"place\", which is not an attribute of \"A\". "
                + "Declare a string attribute of \"A\" for it, with \"optional\": true."
        ),
        (
            SchemaText.ordered(key, #"{"id": 5, "name": "place", "type": "integer"}"#),
            "it is ordered by \"place\", which is of the type integer. "
                + "Declare a string attribute of \"A\" for it, with \"optional\": true."
        ),
        (
            SchemaText.ordered(key, #"{"id": 5, "name": "place", "type": "string", "default": "V"}"#),
            "it is ordered by \"place\", whose default would put every new record at one place. Remove the default."
        ),
        (
            SchemaText.ordered(key + #", "single": true"#, place),
            "it is single and has an order. Remove \"single\" or \"orderedBy\"."
        ),
        (
            SchemaText.ordered(#", "orderedBy": 1"#, place),
            "\"orderedBy\" is a number. Write the name of an attribute."
        ),
    ])
    func whatIsNoOrderIsRefused(_ text: String, _ message: String) {
        let error = #expect(throws: SchemaError.self) { try Schema(json: text) }
        #expect(error?.description == "Schema entity \"B\", property \"as\": \(message)")
    }

    @Test func theStoredSideHasNoOrder() {
        let text = SchemaText.reference(Self.key)
        let error = #expect(throws: SchemaError.self) { try Schema(json: text) }
        #expect(
            error?.description
                == "Schema entity \"A\", property \"b\": \"orderedBy\" is on the side that stores the reference, which names one. "
                + "Declare it on \"B.as\".")
    }

    @Test func linksHaveNoOrder() {
        let text = SchemaText.file(
            #"{"id": 1, "name": "A", "relationships": [{"id": 1, "name": "x", "kind": "manyToMany", "destination": "A", "inverse": "x", "orderedBy": "p"}]}"#
        )
        let error = #expect(throws: SchemaError.self) { try Schema(json: text) }
        #expect(
            error?.description
                == "Schema entity \"A\", property \"x\": a manyToMany relationship has no order, for links have no attributes. "
                + "Declare an entity of its own with a toOne to either end and a string attribute, and order by that.")
    }

    @Test func twoOrdersDoNotShareAnAttribute() {
        let text = SchemaText.file(
            """
            {"id": 1, "name": "A", "attributes": [\(Self.place)], "relationships": [
              {"id": 1, "name": "x", "kind": "toOne", "destination": "A", "inverse": "xs"},
              {"id": 2, "name": "xs", "kind": "toMany", "destination": "A", "inverse": "x"\(Self.key)},
              {"id": 3, "name": "y", "kind": "toOne", "destination": "A", "inverse": "ys"},
              {"id": 4, "name": "ys", "kind": "toMany", "destination": "A", "inverse": "y"\(Self.key)}]}
            """)
        let error = #expect(throws: SchemaError.self) { try Schema(json: text) }
        #expect(
            error?.description
                == "Schema entity \"A\", property \"ys\": it is ordered by \"place\", by which \"A.xs\" is ordered already. "
                + "Give each order an attribute of its own.")
    }

    @Test func aPositionThatMustBeThereIsWarnedOf() throws {
        let text = SchemaText.ordered(Self.key, #"{"id": 5, "name": "place", "type": "string"}"#)
        #expect(
            try Schema(json: text).warnings().map(\.description) == [
                "Schema entity \"B\", property \"as\": it is ordered by \"place\", which is not optional, and programs that do "
                    + "not know the order give no position. "
                    + "Write \"optional\": true on \"A.place\": what has none comes last."
            ])
    }

    @Test func anOrderThatChangesIsWarnedOf() throws {
        let both = Self.place + #", {"id": 6, "name": "rank", "type": "string", "optional": true}"#
        let rank = #", "orderedBy": "rank""#
        func reasons(_ old: String, _ new: String) throws -> [String] {
            try Schema(json: SchemaText.ordered(new, both, version: 2))
                .problems(asSuccessorOf: Schema(json: SchemaText.ordered(old, both))).map {
                    "\($0.severity): \($0.reason)"
                }
        }
        #expect(
            try reasons("", Self.key) == [
                "warning: it is ordered by \"place\" now; a device with version 1 shows another order, and what it adds has no "
                    + "position and comes last"
            ])
        #expect(
            try reasons(Self.key, rank) == [
                "warning: it is ordered by \"rank\" now; a device with version 1 goes on with the order in \"place\""
            ])
        #expect(
            try reasons(rank, "") == [
                "warning: it has no order any more; a device with version 1 goes on with the one in \"rank\""
            ])
        #expect(try reasons(rank, rank).isEmpty)
    }

    @Test func aRenameOfThePositionIsFree() throws {
        let old = SchemaText.ordered(Self.key, Self.place)
        let new = SchemaText.ordered(Self.key, Self.place, version: 2).replacing("place", with: "rank")
        #expect(try Schema(json: new).problems(asSuccessorOf: Schema(json: old)).isEmpty)
    }
}
