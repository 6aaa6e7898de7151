import TestProcesses
import Testing

/// Entities whose names have another meaning inside a trigger or a statement.
@Suite struct EntityNameTests {
    struct Named: Case {
        let entity: String
        let rule: String

        var name: String { "\(entity), \(rule)" }

        var schema: String {
            """
            {"format": 1, "name": "trip", "version": 1, "entities": [
              {"id": 1, "name": "Person", "attributes": [{"id": 1, "name": "name", "type": "string"}],
               "relationships": [
                {"id": 5, "name": "children", "kind": "toMany", "destination": "\(entity)", "inverse": "person",
                 "deleteRule": "\(rule)"}]},
              {"id": 2, "name": "\(entity)", "attributes": [{"id": 1, "name": "name", "type": "string"}],
               "relationships": [
                {"id": 8, "name": "person", "kind": "toOne", "destination": "Person", "inverse": "children"}]}]}
            """
        }

        var table: String { "\"\(entity.lowercased())\"" }

        /// Two persons with two children each, and one child without a person.
        var records: String {
            """
            insert into person(id, name) values (\(key(1)), 'p1'), (\(key(2)), 'p2');
            insert into main.\(table)(id, name, person) values
                (\(key(3)), 'a1', \(key(1))), (\(key(4)), 'b1', \(key(1))), (\(key(5)), 'a2', \(key(2))),
                (\(key(6)), 'b2', \(key(2))), (\(key(7)), 'nobody', null);
            """
        }
    }

    static let all =
        ["Old", "New", "Excluded"].flatMap { entity in
            ["cascade", "nullify", "deny", "noAction"].map { Named(entity: entity, rule: $0) }
        }
        + ["Main", "Temp", "Select", "c", "h", "Control"].flatMap { entity in
            ["cascade"].map { Named(entity: entity, rule: $0) }
        }

    @Test(arguments: all) func aDeleteConcernsTheDeletedRecordsOwnChildrenAlone(_ named: Named) throws {
        try fact("aDeleteConcernsTheDeletedRecordsOwnChildrenAlone", named.name) {
            let devices = try TwoDevices(
                named.records, schema: named.schema,
                tables: [("person", ["name"]), (named.entity.lowercased(), ["name", "person"])])
            let output = try devices.first.sql("delete from person where name = 'p1';")
            #expect(output.error.contains("Cannot delete this person") == (named.rule == "deny"), "\(output)")
            let query = "select name, hex(person) <> '' from main.\(named.table) order by id"
            let rows = [
                "cascade": ["a2|1", "b2|1", "nobody|0"], "nullify": ["a1|0", "b1|0", "a2|1", "b2|1", "nobody|0"],
                "deny": ["a1|1", "b1|1", "a2|1", "b2|1", "nobody|0"],
                "noAction": ["a1|1", "b1|1", "a2|1", "b2|1", "nobody|0"],
            ]
            #expect(try devices.first.rows(query) == rows[named.rule])
            try devices.expectAgreement()
            try devices.expectBoth(query, rows[named.rule] ?? [])
            try devices.expectBoth("select count(*) from person", [named.rule == "deny" ? "2" : "1"])
        }
    }
}
