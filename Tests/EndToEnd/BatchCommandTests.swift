import TestProcesses
import Testing

/// `roost update` and `roost delete`: many records at once, tracked as one transaction.
@Suite final class BatchCommandTests {
    private let files: SpendingFile
    private var file: String { files.path }

    init() throws {
        files = try SpendingFile()
        // Earlier writes are settled here, so that no test observes them.
        try Programs.check("roost", "status", file)
    }

    private func run(_ arguments: String...) throws -> Programs.Output { try Programs.run("roost", arguments) }

    private func lines(_ sql: String) throws -> [String] { try Programs.sql(file, sql).lines }

    @Test func anUpdateIsOneTransactionThatWaits() throws {
        let before = try lines("select max(txn) from roost_outbox").compactMap { Int($0) }
        let output = try run(
            "update", file, "Spending", "--where", "amount == 12_50 AND NOT person.name == %@", "--argument", "Éva",
            "--set", "content=A = b", "--set", "amount=-7", "--set", "rate=0.5", "--set", "paid=true", "--set",
            "day=2026-07-15", "--set", "at=2026-07-14T09:30:00.000Z", "--set", "in=[1]")
        #expect(output.standard == "Updated 2 Spending.\n", "\(output)")
        #expect(
            try lines("select content, amount, rate, paid, day, at, \"in\" from spending where amount < 0")
                == Array(repeating: "A = b|-7|0.5|1|2026-07-15|1784021400000|[1]", count: 2))
        #expect(
            try lines("select distinct txn - \(before[0]) from roost_outbox where txn > \(before[0])") == [
                "1"
            ])
        #expect(
            try lines("select count(*) from roost_outbox where txn > \(before[0])") == ["2"], "both are tracked")
        let again = try run("update", file, "Spending", "--where", "amount < 0", "--set", "amount=-7", "--json")
        #expect(again.standard == "{\"updated\":0}\n", "they hold it already")
    }

    @Test func aReferenceIsSetAndCleared() throws {
        let person = try run("fetch", file, "Person", "--where", "name == 'Zoé'", "--properties", "id").lines[1]
        #expect(
            try run("update", file, "Spending", "--where", "content == 'Lost'", "--set", "person=\(person)").status == 0
        )
        #expect(
            try lines("select name from person join spending on person.id = spending.person where content = 'Lost'")
                == ["Zoé"])
        let output = try run("update", file, "Spending", "--all", "--clear", "person", "--clear", "day")
        #expect(output.standard == "Updated 5 Spending.\n")
        #expect(try lines("select count(*) from spending where person is null and day is null") == ["5"])
    }

    @Test(arguments: [
        (["Spending", "--set", "amount=1"], 64, "--where, or all of them with --all"),
        (["Spending", "--all", "--where", "amount > 1", "--set", "amount=1"], 64, "--all"),
        (["Spending", "--all"], 64, "--set name=value"),
        (["Spending", "--all", "--set", "amount=1", "--clear", "amount"], 64, "\"amount\" is set twice"),
        (["Spending", "--all", "--set", "amuont=1"], 64, "stores nothing under \"amuont\""),
        (["Spending", "--all", "--set", "amount=1.5"], 65, "Write a whole number"),
        (["Spending", "--all", "--set", "amount=x"], 65, "Write a whole number"),
        (["Spending", "--all", "--set", "day=2026-02-30"], 65, "a day that exists"),
        (["Spending", "--all", "--set", "at=soon"], 65, "milliseconds since 1970"),
        (["Spending", "--all", "--set", "in=[1"], 65, "is not JSON"),
        (["Spending", "--all", "--clear", "content"], 65, "value"),
        (["Spending", "--all", "--set", "person=Ana"], 65, "UUID"),
        (["Nothing", "--all", "--set", "a=1"], 64, "no entity \"Nothing\""),
    ])
    func aWrongUpdateChangesNothing(_ arguments: [String], _ status: Int32, _ message: String) throws {
        let before = try lines("select * from spending")
        let output = try Programs.run("roost", ["update", file] + arguments)
        #expect(output.status == status && output.error.contains(message), "\(output)")
        #expect(try lines("select * from spending") == before)
    }

    @Test func aDeleteSaysHowMany() throws {
        #expect(try run("delete", file, "Spending", "--where", "amount < 13_00").standard == "Deleted 3 Spending.\n")
        #expect(try lines("select content from spending order by 1") == ["Boat", "Dinner"])
        #expect(try run("journal", file, "--deleted").lines.count == 3)
        #expect(try run("delete", file, "Spending", "--all", "--json").standard == "{\"deleted\":2}\n")
    }

    @Test func aDeleteThatIsDeniedDeletesNothing() throws {
        try Programs.sql(file, "delete from spending where content = '日本'")
        let output = try run("delete", file, "Person", "--where", "name > 'B'")
        #expect(output.status == 77 && output.error.contains("Cannot delete this person"), "\(output)")
        #expect(try lines("select count(*) from person") == ["3"])
        #expect(try run("delete", file, "Person").status == 64)
    }
}
