/// The schema of the upgrade tests: every delete rule, a tree, a many-to-many relationship and every attribute type.
enum UpgradeSchema {
    static let first = text(version: 1, amount: #""type": "integer", "default": 0"#, remark: "", notes: "")

    /// A later version. An earlier version keeps the writes of its devices as extra content or as unfit records.
    static let second = text(
        version: 2, amount: #""type": "double", "widens": "integer", "default": 0"#,
        remark: #", {"id": 50, "name": "remark", "type": "string", "optional": true}"#,
        notes: #", {"id": 5, "name": "Note", "attributes": [{"id": 1, "name": "text", "type": "string"}]}"#)

    /// The tables of the first version, with the expressions that print a row.
    static let tables = ["person", "spending", "tag", "folder", "spending_tags"]

    private static func text(version: Int, amount: String, remark: String, notes: String) -> String {
        """
        {"format": 1, "name": "upgrade", "version": \(version), "entities": [
          {"id": 1, "name": "Person", "attributes": [{"id": 1, "name": "name", "type": "string"}], "relationships": [
            {"id": 10, "name": "spendings", "kind": "toMany", "destination": "Spending", "inverse": "person",
             "deleteRule": "cascade"},
            {"id": 11, "name": "guaranteed", "kind": "toMany", "destination": "Spending", "inverse": "guarantor",
             "deleteRule": "deny"},
            {"id": 12, "name": "thanked", "kind": "toMany", "destination": "Spending", "inverse": "thanks",
             "deleteRule": "nullify"}]},
          {"id": 2, "name": "Spending", "attributes": [
            {"id": 1, "name": "content", "type": "string"}, {"id": 2, "name": "amount", \(amount)},
            {"id": 3, "name": "price", "type": "double", "optional": true},
            {"id": 4, "name": "paid", "type": "boolean", "optional": true},
            {"id": 5, "name": "day", "type": "date", "optional": true},
            {"id": 6, "name": "moment", "type": "timestamp", "optional": true},
            {"id": 7, "name": "code", "type": "uuid", "optional": true},
            {"id": 8, "name": "picture", "type": "data", "optional": true},
            {"id": 9, "name": "details", "type": "json", "optional": true}\(remark)],
           "relationships": [
            {"id": 20, "name": "person", "kind": "toOne", "destination": "Person", "inverse": "spendings"},
            {"id": 21, "name": "guarantor", "kind": "toOne", "destination": "Person", "inverse": "guaranteed"},
            {"id": 22, "name": "thanks", "kind": "toOne", "destination": "Person", "inverse": "thanked"},
            {"id": 23, "name": "tags", "kind": "manyToMany", "destination": "Tag", "inverse": "spendings"}]},
          {"id": 3, "name": "Tag", "attributes": [{"id": 1, "name": "label", "type": "string"}], "relationships": [
            {"id": 30, "name": "spendings", "kind": "manyToMany", "destination": "Spending", "inverse": "tags"}]},
          {"id": 4, "name": "Folder", "attributes": [{"id": 1, "name": "name", "type": "string"}], "relationships": [
            {"id": 40, "name": "parent", "kind": "toOne", "destination": "Folder", "inverse": "children", "tree": true},
            {"id": 41, "name": "children", "kind": "toMany", "destination": "Folder", "inverse": "parent",
             "deleteRule": "cascade"}]}\(notes)]}
        """
    }
}
