import RoostC
import RoostModel
import Testing

/// Records through libroost.
@Suite(.onOwnThreads) struct RecordCallTests {
    @Test func recordsAreWrittenAndFetched() throws {
        let replica = try CReplica()
        let (person, spending) = try replica.addDinner()
        let found = try replica.call(
            fetch, #"{"entity": "Spending", "where": "amount > %@ AND person.name == %@", "arguments": [1000, "Ana"]}"#)
        #expect(found.status == 0)
        let row = found["rows"]?.arrayValue?.first
        #expect(row?["id"] == .string(spending))
        #expect(row?["content"] == .string("Dinner") && row?["amount"] == .integer(3000))
        #expect(row?["person"] == .string(person))
        #expect(found["kinds"]?["amount"] == .string("integer") && found["kinds"]?["person"] == .string("uuid"))
        let none = try replica.call(fetch, #"{"entity": "Spending", "where": "amount > 3000"}"#)
        #expect(none["rows"] == .array([]))
    }

    @Test func valuesOfAllKindsReturnAsTheyWereWritten() throws {
        let replica = try CReplica()
        let values = """
            {"name": "Ana \\u0000 É", "born": "1990-02-28", "seen": 1752485400123, "photo": "AAH/", "weight": "inf",
             "facts": {"a": [1, 2.50, null]}}
            """
        let id = try replica.write(#"{"insert": "Person", "values": \#(values)}"#)[0]
        let record = try replica.call(get, #"{"entity": "Person", "id": "\#(id)"}"#)["record"]
        let expected = try JSONParser.parse(values)
        for member in expected.members ?? [] { #expect(record?[member.name] == member.value, "\(member.name)") }
        let kinds = try replica.call(get, #"{"entity": "Person", "id": "\#(id)"}"#)["kinds"]
        #expect(kinds?["born"] == .string("date") && kinds?["photo"] == .string("data"))
        // The greatest integer keeps all digits.
        try replica.write(#"{"insert": "Spending", "values": {"content": "x", "amount": 9223372036854775807}}"#)
        let rows = try replica.call(fetch, #"{"entity": "Spending", "properties": ["amount"]}"#)["rows"]
        #expect(rows == .array([.members(("amount", .number("9223372036854775807")))]))
    }

    @Test func totalsAndGroups() throws {
        let replica = try CReplica()
        _ = try replica.addDinner()
        _ = try replica.addDinner()
        let total = try replica.call(fetch, #"{"entity": "Spending", "count": true, "sum": ["amount"]}"#)
        #expect(total["rows"] == .array([.members(("@count", .integer(2)), ("@sum.amount", .integer(6000)))]))
        #expect(total["kinds"]?["@sum.amount"] == .string("integer"))
        let groups = try replica.call(
            fetch, #"{"entity": "Spending", "groupBy": ["person.name"], "maximum": ["amount"]}"#)
        #expect(
            groups["rows"] == .array([.members(("person.name", .string("Ana")), ("@max.amount", .integer(3000)))]))
    }

    @Test func relationshipsToSeveralAreChangedAndRead() throws {
        let replica = try CReplica()
        let ids = try replica.write(
            """
            {"insert": "Person", "as": "ana", "values": {"name": "Ana"}},
            {"insert": "Team", "as": "team", "values": {"title": "A"}},
            {"add": "Team", "id": {"as": "team"}, "relationship": "members", "record": {"as": "ana"}}
            """)
        let team = try replica.call(get, #"{"entity": "Team", "id": "\#(ids[1])"}"#)["record"]
        #expect(team?["members"] == .array([.string(ids[0])]))
        try replica.write(
            #"{"remove": "Team", "id": "\#(ids[1])", "relationship": "members", "record": "\#(ids[0])"}"#)
        let after = try replica.call(get, #"{"entity": "Team", "id": "\#(ids[1])"}"#)["record"]
        #expect(after?["members"] == .array([]))
        let person = try replica.call(get, #"{"entity": "Person", "id": "\#(ids[0])"}"#)["record"]
        #expect(person?["teams"] == .array([]) && person?["spendings"] == .array([]))
    }

    @Test func aTransactionIsWrittenWholeOrNotAtAll() throws {
        let replica = try CReplica()
        let failed = try replica.call(
            write,
            """
            {"operations": [{"insert": "Person", "values": {"name": "Ana"}},
                            {"insert": "Spending", "values": {"content": "Dinner", "amount": 9223372036854775808}}]}
            """)
        #expect(failed.status == ErrorNumber.invalid && failed.code == "invalidValue")
        #expect(failed["message"]?.stringValue?.contains("(operation 1)") == true)
        #expect(try replica.call(fetch, #"{"entity": "Person"}"#)["rows"] == .array([]))
    }

    @Test func anIdentifierOfTheCallersOwnIsUsed() throws {
        let replica = try CReplica()
        let id = "018f0000-0000-7000-8000-000000000001"
        let insert = #"{"insert": "Person", "id": "\#(id)", "values": {"name": "Ana"}}"#
        #expect(try replica.write(insert) == [id])
        let again = try replica.call(write, "{\"operations\": [\(insert)]}")
        #expect(again.status == ErrorNumber.invalid && again.code == "exists")
        let twice = insert.replacing("0001", with: "0002")
        #expect(try replica.call(write, "{\"operations\": [\(twice), \(twice)]}").code == "exists")
        // A deleted record comes back with the new content, in the same transaction or a later one.
        let delete = #"{"delete": "Person", "id": "\#(id)"}"#
        try replica.write("\(delete), \(insert.replacing("Ana", with: "Anna"))")
        try replica.write(delete)
        try replica.write(insert.replacing("Ana", with: "Annie"))
        let record = try replica.call(get, #"{"entity": "Person", "id": "\#(id)"}"#)["record"]
        #expect(record?["name"] == .string("Annie"))
        #expect(try replica.call(check)["sound"] == .boolean(true))
    }

    @Test func manyRecordsNameOneAnother() throws {
        let replica = try CReplica()
        let person = "018f0000-0000-7000-8000-000000000001"
        var operations = [#"{"insert": "Person", "id": "\#(person)", "values": {"name": "Ana"}}"#]
        for number in 0..<2000 {
            operations.append(
                #"{"insert": "Spending", "values": {"content": "\#(number)", "amount": 1, "person": "\#(person)"}}"#)
        }
        let ids = try replica.write(operations.joined(separator: ", "))
        try replica.write(
            ids.dropFirst().map { #"{"update": "Spending", "id": "\#($0)", "values": {"amount": 2}}"# }
                .joined(separator: ", "))
        let total = try replica.call(fetch, #"{"entity": "Spending", "sum": ["amount"]}"#)["rows"]
        #expect(total == .array([.members(("@sum.amount", .integer(4000)))]))
    }

    @Test func stepsAreUndoneAndRecordsComeBack() throws {
        let replica = try CReplica()
        let (person, spending) = try replica.addDinner()
        try replica.write(#"{"update": "Spending", "id": "\#(spending)", "values": {"amount": 1}}"#)
        #expect(try replica.call(undo)["label"] == .string("write"))
        let get = { try replica.call(RoostC.get, #"{"entity": "Spending", "id": "\#(spending)"}"#)["record"] }
        #expect(try get()?["amount"] == .integer(3000))
        #expect(try replica.call(redo)["label"] == .string("write"))
        #expect(try get()?["amount"] == .integer(1))
        // The delete of the person hides the spending, and both come back.
        try replica.write(#"{"delete": "Person", "id": "\#(person)"}"#)
        #expect(try get() == .null)
        let reason = try replica.call(explain, #"{"entity": "Spending", "id": "\#(spending)"}"#)
        #expect(reason["state"] == .string("hidden") && reason["because"]?["id"] == .string(person))
        let deleted = try replica.call(journal, #"{"deleted": true}"#)["deleted"]?.arrayValue
        #expect(deleted?.first?["id"] == .string(person) && deleted?.first?["put"]?["name"] == .string("Ana"))
        #expect(try replica.call(undelete, #"{"entity": "Person", "id": "\#(person)"}"#).status == 0)
        #expect(try get()?["amount"] == .integer(1))
    }

    @Test func errorsNameTheirCause() throws {
        let replica = try CReplica()
        let predicate = try replica.call(fetch, #"{"entity": "Spending", "where": "amount >> 1"}"#)
        #expect(predicate.status == ErrorNumber.invalid && predicate["column"] != nil)
        #expect(predicate["text"] == .string("amount >> 1"))
        let entity = try replica.call(fetch, #"{"entity": "Spendings"}"#)
        #expect(entity.status == ErrorNumber.notFound)
        #expect(entity["message"]?.stringValue?.contains("\"Spending\"") == true)
        let member = try replica.call(fetch, #"{"entity": "Spending", "wher": "amount > 1"}"#)
        #expect(member.status == ErrorNumber.misuse && member.code == "unknownMember")
        for json in [
            "", "[]", "{", "{\"entity\": 1}", "{\"entity\": \"A\", \"entity\": \"B\"}", "{\"a\": \"\\ud800\"}",
        ] {
            #expect(try replica.call(fetch, json).status == ErrorNumber.misuse, "\(json)")
        }
        let large = String(repeating: "x", count: 300_000)
        let tooLarge = try replica.call(
            write, #"{"operations": [{"insert": "Person", "values": {"name": "\#(large)"}}]}"#)
        #expect(tooLarge.status == ErrorNumber.invalid, "\(tooLarge.value.text.prefix(300))")
    }
}

/// The classes of errors of `roost.h`.
enum ErrorNumber {
    static let (misuse, closed, busy, notFound, invalid) = (Int32(1), Int32(2), Int32(3), Int32(4), Int32(5))
    static let (refused, file, timeout, cancelled) = (Int32(6), Int32(8), Int32(9), Int32(10))
}
