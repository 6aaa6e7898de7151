/// The schema of most tests: each delete rule, a tree, links and each kind of value.
enum Trip {
    static let schema = """
        {"format": 1, "name": "trip", "version": 1, "entities": [
          {"id": 1, "name": "Person", "attributes": [
            {"id": 1, "name": "name", "type": "string"}, {"id": 2, "name": "note", "type": "string", "optional": true}],
           "relationships": [
            {"id": 5, "name": "spendings", "kind": "toMany", "destination": "Spending", "inverse": "person",
             "deleteRule": "cascade"},
            {"id": 6, "name": "guaranteed", "kind": "toMany", "destination": "Spending", "inverse": "guarantor",
             "deleteRule": "deny"},
            {"id": 7, "name": "paid", "kind": "toMany", "destination": "Spending", "inverse": "payer"}]},
          {"id": 2, "name": "Spending", "attributes": [
            {"id": 1, "name": "content", "type": "string"}, {"id": 2, "name": "amount", "type": "integer", "default": 0},
            {"id": 3, "name": "note", "type": "string", "optional": true},
            {"id": 4, "name": "rate", "type": "double", "optional": true},
            {"id": 5, "name": "info", "type": "json", "optional": true},
            {"id": 6, "name": "picture", "type": "data", "optional": true},
            {"id": 7, "name": "at", "type": "timestamp", "optional": true}],
           "relationships": [
            {"id": 8, "name": "person", "kind": "toOne", "destination": "Person", "inverse": "spendings"},
            {"id": 9, "name": "guarantor", "kind": "toOne", "destination": "Person", "inverse": "guaranteed"},
            {"id": 10, "name": "payer", "kind": "toOne", "destination": "Person", "inverse": "paid"},
            {"id": 11, "name": "tags", "kind": "manyToMany", "destination": "Tag", "inverse": "spendings"}]},
          {"id": 3, "name": "Tag", "attributes": [{"id": 1, "name": "word", "type": "string"}], "relationships": [
            {"id": 2, "name": "spendings", "kind": "manyToMany", "destination": "Spending", "inverse": "tags"}]},
          {"id": 4, "name": "Folder", "attributes": [{"id": 1, "name": "title", "type": "string"}], "relationships": [
            {"id": 2, "name": "parent", "kind": "toOne", "destination": "Folder", "inverse": "folders", "tree": true},
            {"id": 3, "name": "folders", "kind": "toMany", "destination": "Folder", "inverse": "parent",
             "deleteRule": "cascade"}]}]}
        """

    /// The second version of the schema. It adds one attribute to each of `Person` and `Spending`.
    static let laterSchema =
        schema
        .replacing("\"version\": 1", with: "\"version\": 2")
        .replacing(
            "{\"id\": 2, \"name\": \"note\", \"type\": \"string\", \"optional\": true}],",
            with: """
                {"id": 2, "name": "note", "type": "string", "optional": true},
                {"id": 20, "name": "nick", "type": "string", "optional": true}],
                """
        )
        .replacing(
            "{\"id\": 7, \"name\": \"at\", \"type\": \"timestamp\", \"optional\": true}],",
            with: """
                {"id": 7, "name": "at", "type": "timestamp", "optional": true},
                {"id": 20, "name": "place", "type": "string", "optional": true}],
                """
        )

    /// Ana (1) and Bob (2); the spendings dinner (5), taxi (6) and boat (7) of Ana, and museum (8) of Bob.
    static let records = """
        insert into person(id, name) values (\(key(1)), 'Ana'), (\(key(2)), 'Bob');
        insert into spending(id, content, amount, person) values
            (\(key(5)), 'dinner', 5, \(key(1))), (\(key(6)), 'taxi', 6, \(key(1))), (\(key(7)), 'boat', 7, \(key(1))),
            (\(key(8)), 'museum', 8, \(key(2)));
        """

    /// The tables with their columns.
    static let tables = [
        ("person", ["name", "note"]),
        (
            "spending",
            ["content", "amount", "note", "rate", "info", "picture", "at", "person", "guarantor", "payer"]
        ),
        ("tag", ["word"]), ("folder", ["title", "parent"]), ("spending_tags", ["source", "target"]),
    ]
}

/// The 16-byte identifier that ends in `number`, as an SQL literal.
func key(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return "x'\(String(repeating: "0", count: 32 - digits.count))\(digits)'"
}
