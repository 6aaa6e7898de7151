import Foundation
import Objects
import Testing

@testable import spending_list

/// The table of the article "Predicates". Each row states a predicate in two notations.
@Suite struct PredicateTableTests {
    private let folder: TripFolder
    private let context: ObjectContext

    /// Makes spendings and people. Each row of the table finds some of them, but not all.
    init() throws {
        folder = try TripFolder()
        context = ObjectContext(try folder.coordinator())
        let spent: KeyValuePairs<String, [(String, Int64, String)]> = [
            "Ana": [
                ("Taxi", 12_50, "EUR"), ("Train", 50, "USD"), ("Boat", 100_00, "EUR"), ("Hotel", 150_00, "EUR"),
            ],
            "Bob": [
                ("Dinner", 30_00, "EUR"), ("Wine", 25_00, "EUR"), ("Bread", 22_00, "CHF"), ("Crème", 45_00, "EUR"),
            ],
            "Éva": [("Coffee", 6_20, "EUR")],
            "Zoé": [],
        ]
        for (name, spendings) in spent {
            let person = try context.insert(Person.self)
            person.name = name
            for (content, amount, currency) in spendings {
                let spending = try context.insert(Spending.self)
                (spending.content, spending.amount, spending.currency) = (content, amount, currency)
                spending.person = person
            }
        }
        try context.save()
        try context.insert(Spending.self).amount = 5_00
    }

    private func spending(_ typed: TypedPredicate<Spending.Fields>, _ text: String) throws {
        try expectSame(FetchRequest<Spending>(where: typed), FetchRequest(where: FetchPredicate(format: text)), text)
    }

    private func person(_ typed: TypedPredicate<Person.Fields>, _ text: String) throws {
        try expectSame(FetchRequest<Person>(where: typed), FetchRequest(where: FetchPredicate(format: text)), text)
    }

    private func expectSame<Object: ManagedObject & TypedObject>(
        _ typed: FetchRequest<Object>, _ text: FetchRequest<Object>, _ name: String
    ) throws {
        let found = try context.fetch(typed)
        #expect(try context.fetch(text) == found, "\(name)")
        #expect(try !found.isEmpty && found.count < context.count(FetchRequest<Object>()), "\(name)")
    }

    @Test func bothFormsOfARowAreTheSame() throws {
        try spending(\.content == "Taxi", #"content == "Taxi""#)
        try spending(\.content != "Taxi", #"content != "Taxi""#)
        try spending(\.amount < 100_00, #"amount < 100_00"#)
        try spending(\.amount <= 100_00, #"amount <= 100_00"#)
        try spending(\.amount > 100_00, #"amount > 100_00"#)
        try spending(\.amount >= 100_00, #"amount >= 100_00"#)
        try spending((\Spending.Fields.amount).isBetween(1_00, 10_00), #"amount BETWEEN {1_00, 10_00}"#)
        try spending((\Spending.Fields.currency).isIn(["EUR", "CHF"]), #"currency IN {"EUR", "CHF"}"#)
        try spending((\Spending.Fields.content).beginsWith("Ta"), #"content BEGINSWITH "Ta""#)
        try spending((\Spending.Fields.content).endsWith("xi"), #"content ENDSWITH "xi""#)
        try spending((\Spending.Fields.content).contains("creme", .loose), #"content CONTAINS[cd] "creme""#)
        try spending((\Spending.Fields.content).equals("taxi", .caseInsensitive), #"content ==[c] "taxi""#)
        try spending((\Spending.Fields.content).like("T*i?"), #"content LIKE "T*i?""#)
        try spending((\Spending.Fields.content).matches("T.+"), #"content MATCHES "T.+""#)
        try spending((\Spending.Fields.content).length() > 5, #"content.length > 5"#)
        try spending(\.person == nil, #"person == nil"#)
        try spending(\.person.name == "Ana", #"person.name == "Ana""#)
        try person((\Person.Fields.spendings).any(\.amount > 20_00), #"ANY spendings.amount > 20_00"#)
        try person((\Person.Fields.spendings).all(\.amount > 20_00), #"ALL spendings.amount > 20_00"#)
        try person((\Person.Fields.spendings).none(\.amount > 20_00), #"NONE spendings.amount > 20_00"#)
        try person((\Person.Fields.spendings).count() > 3, #"spendings.@count > 3"#)
        try person((\Person.Fields.spendings).sum(\.amount) > 100_00, #"spendings.@sum.amount > 100_00"#)
        try person((\Person.Fields.spendings).average(\.amount) > 20_00, #"spendings.@avg.amount > 20_00"#)
        try person((\Person.Fields.spendings).minimum(\.amount) < 1_00, #"spendings.@min.amount < 1_00"#)
        try person((\Person.Fields.spendings).maximum(\.amount) > 50_00, #"spendings.@max.amount > 50_00"#)
        try person(
            (\Person.Fields.spendings).count(where: \.amount > 20_00) > 3,
            #"SUBQUERY(spendings, $s, $s.amount > 20_00).@count > 3"#)
        try spending(\.amount > 1_00 && \.amount < 10_00, #"amount > 1_00 AND amount < 10_00"#)
        try spending(\.amount < 1_00 || \.amount > 10_00, #"amount < 1_00 OR amount > 10_00"#)
        try spending(!(\.content == "Taxi"), #"NOT content == "Taxi""#)
    }

    @Test func everyRowOfTheTableIsCompiled() throws {
        let source = try SourceFiles.text("Tests/Examples/PredicateTableTests.swift")
            .replacing(/\(\n +/, with: "(").replacing(/,\n +/, with: ", ")
        let rows = try SourceFiles.text("Client/Roost/Roost.docc/Predicates.md")
            .matches(of: /(?m)^\| `(.+?)` \| `(.+?)` \|/).map { ($0.output.1.replacing("\\|", with: "|"), $0.output.2) }
        #expect(rows.count > 20)
        for (typed, text) in rows {
            #expect(source.contains("(\(typed), #\"\(text)\"#)"), "no test compiles \(typed)")
        }
    }
}
