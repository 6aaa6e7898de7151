internal import RoostModel

/// The torture's schema, and the statements that write to it.
enum TortureScope {
    /// The schema. Every transaction writes one debit and one credit with one identifier and opposite amounts: a record
    /// without its pair is part of a transaction. Parents and children have the delete rules.
    static let schema = """
        {"format": 1, "name": "torture", "version": 1, "entities": [
          {"id": 1, "name": "Debit", "attributes": [
            {"id": 1, "name": "amount", "type": "integer"}, {"id": 2, "name": "author", "type": "string"},
            {"id": 3, "name": "number", "type": "integer"}, {"id": 4, "name": "seen", "type": "string", "optional": true}]},
          {"id": 2, "name": "Credit", "attributes": [
            {"id": 1, "name": "amount", "type": "integer"}, {"id": 2, "name": "author", "type": "string"},
            {"id": 3, "name": "number", "type": "integer"}]},
          {"id": 3, "name": "Parent", "attributes": [{"id": 1, "name": "name", "type": "string"}],
           "relationships": [
            {"id": 5, "name": "children", "kind": "toMany", "destination": "Child", "inverse": "parent",
             "deleteRule": "cascade"},
            {"id": 6, "name": "wards", "kind": "toMany", "destination": "Child", "inverse": "guardian",
             "deleteRule": "deny"},
            {"id": 7, "name": "friends", "kind": "toMany", "destination": "Child", "inverse": "friend",
             "deleteRule": "nullify"}]},
          {"id": 4, "name": "Child", "attributes": [
            {"id": 1, "name": "label", "type": "string"}, {"id": 2, "name": "amount", "type": "integer", "default": 0}],
           "relationships": [
            {"id": 8, "name": "parent", "kind": "toOne", "destination": "Parent", "inverse": "children"},
            {"id": 9, "name": "guardian", "kind": "toOne", "destination": "Parent", "inverse": "wards"},
            {"id": 10, "name": "friend", "kind": "toOne", "destination": "Parent", "inverse": "friends"}]}]}
        """

    /// Returns a transaction that writes pair `number` of `author`, which the identifier of its records encodes.
    static func pair(_ author: String, _ number: Int, seen: String = "NULL") -> String {
        let id = pairID(author, number)
        let amount = number % 1000 + 1
        return """
            BEGIN IMMEDIATE;
            INSERT INTO debit(id, amount, author, number, seen) VALUES (\(id), \(amount), '\(author)', \(number), \(seen));
            INSERT INTO credit(id, amount, author, number) VALUES (\(id), \(-amount), '\(author)', \(number));
            COMMIT;
            """
    }

    /// Returns the identifier of both records of a pair: 8 bytes of the author's name, 8 of the number.
    static func recordID(_ author: String, _ number: Int) -> RecordID {
        let name = author.utf8.prefix(8)
        let high = name.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } << UInt64(8 * (8 - name.count))
        return RecordID(high: high, low: UInt64(number))
    }

    static func pairID(_ author: String, _ number: Int) -> String {
        "x'\(Hex.encode(recordID(author, number).bytes))'"
    }
}
