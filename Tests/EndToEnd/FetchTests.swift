import Foundation
import RoostModel
import TestProcesses
import Testing

/// `roost fetch` prints the records that predicates select.
@Suite final class FetchTests {
    private let files: SpendingFile
    private var file: String { files.path }

    init() throws { files = try SpendingFile() }

    private func fetch(_ arguments: String...) throws -> Programs.Output {
        try Programs.run("roost", ["fetch", file] + arguments)
    }

    private func lines(_ arguments: String...) throws -> [String] {
        let output = try Programs.run("roost", ["fetch", file] + arguments)
        #expect(output.status == 0 && output.error.isEmpty, "\(output)")
        return output.lines
    }

    @Test func recordsAreATable() throws {
        let table = try fetch("Spending", "--sort", "content").standard
        let person = try Programs.sql(file, "select lower(hex(id)) from person where name = 'Ana'").lines[0]
        let boat = try #require(table.split(separator: "\n").dropFirst().first)
        #expect(
            table.hasPrefix("id                                    content  amount  rate  paid   day         at  "))
        #expect(boat.contains("  Boat       3300   nil  false  nil         nil  "))
        #expect(boat.replacing("-", with: "").contains(person))
        #expect(!table.contains(" \n"))
    }

    @Test func propertiesAreInTheirOrder() throws {
        #expect(
            try lines(
                "Spending", "--properties", "content, amount,person.name", "--sort",
                "person.name:localized:descending,amount:descending")
                == [
                    "content  amount  person.name", "日本       1250  Zoé", "Dinner     4250  Éva",
                    "Boat       3300  Ana",
                    "Taxi       1250  Ana", "Lost          5  nil",
                ])
        #expect(
            try lines(
                "Spending", "--properties", "content", "--sort", "amount,content", "--offset", "1", "--limit", "2")
                == ["content", "Taxi", "日本"])
    }

    @Test func aRowIsAnObjectWithJSON() throws {
        let rows = try lines("Spending", "--where", "content == 'Taxi'", "--json").map { try JSONParser.parse($0) }
        #expect(
            rows.first?.members?.map(\.name)
                == ["id", "content", "amount", "rate", "paid", "day", "at", "in", "person"])
        let values =
            #"{"amount":1250,"rate":1.5,"paid":true,"day":"2026-07-14","at":1784020200000,"in":{"a":[1]},"person.name":"Ana"}"#
        #expect(
            try lines(
                "Spending", "--where", "content == 'Taxi'", "--properties",
                "amount,rate,paid,day,at,#in,person.name", "--json") == [values.replacing("\"in\"", with: "\"#in\"")])
    }

    @Test(arguments: [
        ("amount > 10_00 AND person.name BEGINSWITH[cd] 'e'", "s.amount > 1000 and p.name = 'Éva'"),
        ("content CONTAINS[cd] 'A' AND NOT paid == true", "s.content like '%a%' and not s.paid"),
        ("person == nil OR day < '2026-07-15'", "s.person is null or s.day < '2026-07-15'"),
        ("person.spendings.@count == 2", "p.name = 'Ana'"), ("#in == nil", "s.\"in\" is null"),
        ("-amount > -10", "s.amount < 10"), ("FALSEPREDICATE", "0"),
    ])
    func aPredicateSelects(_ format: String, _ condition: String) throws {
        let join = "from spending s left join person p on p.id = s.person where \(condition)"
        let wanted = try Programs.sql(file, "select s.content \(join) order by 1").lines
        let rows = try lines("Spending", "--where", format, "--properties", "content", "--sort", "content", "--json")
        #expect(rows == wanted.map { "{\"content\":\"\($0)\"}" })
        #expect(try lines("Spending", "--where", format, "--count") == ["\(wanted.count)"])
    }

    @Test func argumentsAreNoPartOfTheText() throws {
        let quote = "Ana' OR TRUEPREDICATE OR name == '"
        #expect(try lines("Person", "--where", "name == %@", "--argument", quote, "--count") == ["0"])
        #expect(
            try lines(
                "Spending", "--where", "amount > %d AND rate >= %f AND %K == %@ AND day == %@", "--argument", "-5",
                "--argument", "1.5", "--argument", "person.name", "--argument", "Ana", "--argument", "2026-07-14",
                "--properties", "content") == ["content", "Taxi"])
    }

    @Test func totals() throws {
        let all = [
            "--count", "--sum", "amount,rate", "--average", "amount", "--minimum", "day", "--maximum", "content",
        ]
        #expect(
            try Programs.run("roost", ["fetch", file, "Spending", "--json"] + all).lines == [
                #"{"@count":5,"@sum.amount":10055,"@sum.rate":1.5,"@avg.amount":2011.0,"@min.day":"2026-07-14","@max.content":"日本"}"#
            ])
        #expect(
            try lines("Spending", "--group-by", "person.name", "--count", "--sum", "amount") == [
                "person.name  @count  @sum.amount", "nil               1            5",
                "Ana               2         4550",
                "Zoé               1         1250", "Éva               1         4250",
            ])
        #expect(
            try lines("Spending", "--group-by", "person.name", "--count", "--offset", "1", "--limit", "1", "--json")
                == [#"{"person.name":"Ana","@count":2}"#])
        #expect(
            try lines("Spending", "--where", "amount < 0", "--group-by", "paid", "--count") == ["Nothing was found."])
    }

    @Test func distinctValues() throws {
        #expect(
            try lines("Spending", "--properties", "paid,person.name", "--distinct", "--limit", "3", "--json") == [
                #"{"paid":false,"person.name":null}"#, #"{"paid":false,"person.name":"Ana"}"#,
                #"{"paid":false,"person.name":"Zoé"}"#,
            ])
    }

    @Test func aMistakeHasACaretBelow() throws {
        let output = try fetch("Spending", "--where", "amount > 5 AND conten == 'x'")
        #expect(output.status == 64 && output.standard.isEmpty)
        #expect(
            output.error == """
                roost: "Spending" has no property "conten". Did you mean "content"?
                    amount > 5 AND conten == 'x'
                                   ^

                """)
        let json = try fetch("Spending", "--where", "amount >", "--json")
        let error = try JSONParser.parse(json.error.trimmingCharacters(in: .newlines))["error"]
        #expect(json.status == 64)
        #expect(error?["message"]?.stringValue?.contains("\n") == false)
        #expect(error?["text"]?.stringValue == "amount >" && error?["column"]?.integerValue == 9)
    }

    @Test(arguments: [
        (["Spendings"], "It has \"Person\", \"Spending\""), (["Spending", "--sort", "nam"], "no property \"nam\""),
        (["Spending", "--sort", "amount:down"], "expected a path, or one with :descending"),
        (["Spending", "--properties", "amount,"], "expected a property's name"),
        (["Person", "--properties", "spendings.amount"], "leads to many values"),
        (["Spending", "--sum", "content"], "Cannot add up"), (["Spending", "--limit=-1"], "--limit is -1"),
        (["Spending", "--distinct"], "--distinct needs --properties"),
        (["Spending", "--group-by", "paid"], "--group-by needs --count"),
        (["Spending", "--count", "--limit", "1"], "leave --limit and --offset out"),
        (["Spending", "--count", "--sort", "amount"], "--sort orders records"),
        (["Spending", "--count", "--properties", "amount"], "Leave one out"),
        (["Spending", "--argument", "x"], "--where"),
        (["Spending", "--where", "amount > %d", "--argument", "x"], "expected a whole number"),
        (["Spending", "--where", "amount > %@", "--argument", "5"], "Compare it with a number"),
        (["Spending", "--where", "amount > $low"], "$low has no value"),
    ])
    func wrongArgumentsAreRefused(_ arguments: [String], _ message: String) throws {
        let output = try Programs.run("roost", ["fetch", file] + arguments)
        #expect(output.status == 64 && output.standard.isEmpty, "\(output)")
        #expect(output.error.contains(message), "\(output)")
    }

    @Test func theFileStaysAsItIs() throws {
        func bytes() throws -> [Data?] {
            ["", "-wal"].map { FileManager.default.contents(atPath: file + $0) }
        }
        // The first command after the shell's writes settles them.
        try Programs.check("roost", "status", file)
        let before = try bytes()
        _ = try lines("Spending", "--where", "content CONTAINS[cd] 'a'", "--sort", "person.name:localized")
        _ = try lines("Spending", "--group-by", "person", "--sum", "amount")
        #expect(try bytes() == before)
    }
}
