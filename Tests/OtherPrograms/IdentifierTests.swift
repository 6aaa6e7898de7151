import TestProcesses
import Testing

/// Statements that change a record's identifier, under every conflict clause.
@Suite struct IdentifierTests {
    struct Clause: Case {
        let name: String
        let clause: String
        var before = ""
    }

    static let clauses = ["", "or fail", "or abort", "or rollback", "or ignore", "or replace"].flatMap { clause in
        [
            Clause(name: "after a delete, \(clause)", clause: clause, before: again),
            Clause(name: "after a delete and a sync, \(clause)", clause: clause, before: again + "-- sync"),
            Clause(name: "at once, \(clause)", clause: clause),
        ]
    }

    private static let again = """
        delete from spending where id = \(key(5));
        insert into spending(id, content, person) values (\(key(5)), 'again', \(key(1)));
        """

    @Test(arguments: clauses.filter { !$0.name.contains("sync") || $0.clause == "or fail" })
    func aRenamedRecordIsADeleteAndAPut(_ clause: Clause) throws {
        try fact("aRenamedRecordIsADeleteAndAPut", clause.name) {
            let devices = try TwoDevices()
            try devices.first.write(clause.before)
            if clause.before.hasSuffix("-- sync") { try devices.synchronise() }
            let content = try devices.first.rows("select content from spending where id = \(key(5))")
            try devices.first.write("update \(clause.clause) spending set id = \(key(50)) where id = \(key(5));")
            #expect(try devices.first.pending() == 2)
            try devices.expectAgreement()
            try devices.expectBoth("select content from spending where id = \(key(50))", content)
            try devices.expectBoth("select count(*) from spending where id = \(key(5))", ["0"])
        }
    }

    /// The row that already has the new identifier is replaced: one put of the new identifier, one delete of the old one.
    @Test func aRenameOverAnotherRecordReplacesIt() throws {
        try fact("aRenameOverAnotherRecordReplacesIt", "") {
            let devices = try TwoDevices()
            try devices.first.write("update or replace spending set id = \(key(6)) where id = \(key(5))")
            try devices.expectAgreement()
            try devices.expectBoth("select content from spending where id in (\(key(5)), \(key(6)))", ["dinner"])
        }
    }

    @Test(arguments: clauses.filter { $0.before.isEmpty && !$0.clause.contains("ignore") })
    func aParentThatADenyRuleProtectsKeepsItsIdentifier(_ clause: Clause) throws {
        try fact("aParentThatADenyRuleProtectsKeepsItsIdentifier", clause.name) {
            let devices = try TwoDevices(
                Trip.records + "update spending set guarantor = \(key(2)) where id = \(key(5));")
            let output = try devices.first.sql(
                "update \(clause.clause) person set id = \(key(90)) where id = \(key(2));")
            #expect(output.error.contains("Cannot"), "\(output)")
            #expect(try devices.first.pending() == 0)
            try devices.expectAgreement()
            try devices.expectBoth("select hex(id) = hex(\(key(2))) from person where name = 'Bob'", ["1"])
        }
    }

    struct Parent: Case {
        let name: String
        let setup: String
        let statement: String
        let query: String
        /// Whether no trigger runs for the statement, so that a comparison of all rows restores the removed record.
        var isUntracked = false
    }

    static let parents = [
        Parent(
            name: "cascade", setup: "", statement: "update person set id = \(key(90)) where id = \(key(1))",
            query: "select count(*) from person where name = 'Ana'"),
        Parent(
            name: "nullify", setup: "update spending set payer = \(key(2)) where id = \(key(5));",
            statement: "update person set id = \(key(90)) where id = \(key(2))",
            query: "select count(*) from person where name = 'Bob'"),
        Parent(
            name: "link",
            setup: """
                insert into tag(id, word) values (\(key(20)), 'fun');
                insert into spending_tags(source, target) values (\(key(5)), \(key(20)));
                """, statement: "update tag set id = \(key(90)) where id = \(key(20))",
            query: "select count(*) from tag"
        ),
        Parent(
            name: "tree",
            setup: """
                insert into folder(id, title) values (\(key(30)), 'top');
                insert into folder(id, title, parent) values (\(key(31)), 'child', \(key(30)));
                """, statement: "update folder set id = \(key(90)) where id = \(key(30))",
            query: "select count(*) from folder where title = 'top'"),
        // A new row replaces Bob by his `rowid`. SQLite runs no trigger for that, so nothing can deny the delete. Bob comes
        // back, and the new row is a separate record.
        Parent(
            name: "deny, by a row of the same number",
            setup: "update spending set guarantor = \(key(2)) where id = \(key(5));",
            statement:
                "insert or replace into person(rowid, id, name) select rowid, \(key(90)), 'Bob' from person where name = 'Bob'",
            query: "select count(*) = 2 from person where name = 'Bob'", isUntracked: true),
    ]

    @Test(arguments: parents) func aRenamedParentExistsOnce(_ parent: Parent) throws {
        try fact("aRenamedParentExistsOnce", parent.name) {
            let devices = try TwoDevices(Trip.records + parent.setup)
            try devices.first.sql(parent.statement)
            if parent.isUntracked { _ = try devices.first.roost("check") }
            try devices.expectAgreement()
            try devices.expectBoth(parent.query, ["1"])
        }
    }
}
