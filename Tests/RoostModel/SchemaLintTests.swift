import RoostModel
import Testing

@Suite struct SchemaLintTests {
    private static func reasons(_ text: String) throws -> [String] {
        try Schema(json: text).warnings().map { "\($0.entity ?? "").\($0.property ?? ""): \($0.reason)" }
    }

    private static func toOne(_ id: Int, _ name: String, _ target: String, _ inverse: String) -> String {
        #"{"id": \#(id), "name": "\#(name)", "kind": "toOne", "destination": "\#(target)", "inverse": "\#(inverse)"}"#
    }

    private static func toMany(
        _ id: Int, _ name: String, _ target: String, _ inverse: String, _ rule: String
    ) -> String {
        #"""
        {"id": \#(id), "name": "\#(name)", "kind": "toMany", "destination": "\#(target)", "inverse": "\#(inverse)",
         "deleteRule": "\#(rule)"}
        """#
    }

    @Test(arguments: ["nullify", "cascade", "deny", "noAction"])
    func plainReferenceIsNotWarnedOf(rule: String) throws {
        #expect(try Self.reasons(SchemaText.reference("", #", "deleteRule": "\#(rule)""#)).isEmpty)
    }

    @Test(arguments: ["nullify", "deny"])
    func requiredReferenceThatMayReadNil(rule: String) throws {
        let text = SchemaText.reference(#", "optional": false"#, #", "deleteRule": "\#(rule)""#)
        #expect(
            try Self.reasons(text) == [
                "A.b: it is not optional but can read nil: the rule \"\(rule)\" shows nil while \"B\" is not visible"
            ])
    }

    @Test func warningSaysWhereAndWhatToDo() throws {
        let warnings = try Schema(json: SchemaText.reference(#", "optional": false"#)).warnings()
        #expect(warnings.map(\.severity) == [.warning])
        #expect(warnings.first?.cure == "Write \"optional\": true, or let \"as\" cascade")
    }

    @Test func requiredTree() throws {
        let text = SchemaText.pair(
            #""name": "up", "kind": "toOne", "destination": "A", "inverse": "down", "tree": true, "optional": false"#,
            #""name": "down", "kind": "toMany", "destination": "A", "inverse": "up", "deleteRule": "cascade""#)
        #expect(
            try Self.reasons(text) == [
                "A.up: it is not optional but can read nil: "
                    + "it is cut where two devices make a cycle, and a root has none"
            ])
    }

    @Test func treeWithAnotherRule() throws {
        let text = SchemaText.pair(
            #""name": "up", "kind": "toOne", "destination": "A", "inverse": "down", "tree": true"#,
            #""name": "down", "kind": "toMany", "destination": "A", "inverse": "up", "deleteRule": "deny""#)
        #expect(try Self.reasons(text) == ["A.up: \"down\" has the rule \"deny\", but a tree always cascades"])
    }

    @Test func cascadeToItselfThatIsNoTree() throws {
        let text = SchemaText.pair(
            #""name": "up", "kind": "toOne", "destination": "A", "inverse": "down""#,
            #""name": "down", "kind": "toMany", "destination": "A", "inverse": "up", "deleteRule": "cascade""#)
        #expect(
            try Self.reasons(text) == [
                "A.up: two devices can make a cycle of records that hang off each other and off nothing else"
            ])
    }

    @Test func denyFromInsideTheOwnClosure() throws {
        let text = SchemaText.graph(
            Self.toMany(1, "twos", "Two", "one", "cascade") + "," + Self.toMany(2, "threes", "Three", "one", "deny"),
            Self.toOne(1, "one", "One", "twos") + "," + Self.toMany(2, "threes", "Three", "two", "cascade"),
            Self.toOne(1, "two", "Two", "threes") + "," + Self.toOne(2, "one", "One", "threes"))
        #expect(
            try Self.reasons(text) == [
                "Three.one: a record of \"One\" cannot be deleted while it has such a record of \"Three\", "
                    + "which its own deletion would hide"
            ])
    }

    @Test func denyTargetThatVanishesWithAnotherRoot() throws {
        let text = SchemaText.graph(
            Self.toMany(1, "twos", "Two", "one", "cascade"),
            Self.toOne(1, "one", "One", "twos") + "," + Self.toMany(2, "threes", "Three", "two", "deny"),
            Self.toOne(1, "two", "Two", "threes"))
        #expect(
            try Self.reasons(text) == [
                "Three.two: deleting a record of \"One\" hides its \"Two\" in spite of the rule \"deny\", "
                    + "because \"Three\" does not hang off \"One\""
            ])
    }

    @Test func denyUnderOneRootIsNotWarnedOf() throws {
        let text = SchemaText.graph(
            Self.toMany(1, "twos", "Two", "one", "cascade") + "," + Self.toMany(2, "threes", "Three", "one", "cascade"),
            Self.toOne(1, "one", "One", "twos") + "," + Self.toMany(2, "threes", "Three", "two", "deny"),
            Self.toOne(1, "two", "Two", "threes") + "," + Self.toOne(2, "one", "One", "threes"))
        #expect(try Self.reasons(text).isEmpty)
    }

    @Test func ruleAndOptionalWithoutEffect() throws {
        let text = SchemaText.reference(#", "deleteRule": "noAction""#, #", "optional": false"#)
        #expect(
            try Self.reasons(text) == [
                "A.b: the rule \"noAction\" has no effect on the side that stores the reference",
                "B.as: \"optional\" has no effect on a toMany relationship",
            ])
    }

    @Test func keyThatIsNotKnown() throws {
        let text = SchemaText.attributes(#"{"id": 1, "name": "a", "type": "date", "optionnal": true}"#)
        #expect(try Self.reasons(text) == ["A.a: the key \"optionnal\" is not known and has no effect"])
    }

    @Test func nameThatSQLHasAMeaningFor() throws {
        let text = SchemaText.file(
            #"{"id": 1, "name": "Order", "attributes": [{"id": 1, "name": "to", "type": "date"}]}"#)
        #expect(
            try Self.reasons(text) == [
                "Order.: the name \"Order\" is a word of SQL, and whoever writes SQL must quote it",
                "Order.to: the name \"to\" is a word of SQL, and whoever writes SQL must quote it",
            ])
    }
}
