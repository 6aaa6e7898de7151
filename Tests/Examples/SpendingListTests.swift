import Objects
import Testing

@testable import spending_list

@Suite struct SpendingListTests {
    @Test func sectionsAreInTheOrderOfNamesAndRowsOfAmounts() throws {
        let folder = try TripFolder()
        let group = SpendingGroup(try folder.coordinator())
        try group.spend(30_00, on: "Dinner", by: "Zoé")
        try group.spend(20_00, on: "Train", by: "Élodie")
        try group.spend(12_50, on: "Taxi", by: "Zoé")
        try group.spend(1, on: "Stamp", by: "Bob")
        #expect(
            try SpendingList(in: group.context).lines() == [
                "Bob (0.01 EUR)", "  0.01 EUR  Stamp", "Élodie (20.00 EUR)", "  20.00 EUR  Train", "Zoé (42.50 EUR)",
                "  12.50 EUR  Taxi", "  30.00 EUR  Dinner",
            ])
    }

    @Test(
        arguments: [
            (4250, "EUR", "42.50 EUR"), (1200, "JPY", "1200 JPY"), (3500, "KWD", "3.500 KWD"), (5, "KWD", "0.005 KWD"),
            (-5, "EUR", "-0.05 EUR"), (7, "ABC", "7 of the smallest unit of ABC"),
        ] as [(Int64, String, String)])
    func amountsHaveTheDecimalsOfTheirCurrency(_ minorUnits: Int64, _ code: String, _ text: String) {
        #expect(Amount.text(minorUnits, code) == text)
    }

    @Test func titleHasATotalForEachCurrency() throws {
        let folder = try TripFolder()
        let group = SpendingGroup(try folder.coordinator())
        try group.spend(1200, "JPY", on: "Ramen", by: "Ana")
        try group.spend(30_00, on: "Dinner", by: "Ana")
        try group.spend(12_50, on: "Taxi", by: "Ana")
        #expect(try SpendingList(in: group.context).lines().first == "Ana (42.50 EUR, 1200 JPY)")
    }

    @Test func filterLeavesOutRowsAndTheirAmounts() throws {
        let folder = try TripFolder()
        let group = SpendingGroup(try folder.coordinator())
        try group.spend(6_20, on: "Crème brûlée", by: "Ana")
        try group.spend(30_00, on: "Dinner", by: "Ana")
        let list = try SpendingList(in: group.context, filter: #"content CONTAINS[cd] "creme""#)
        #expect(try list.lines() == ["Ana (6.20 EUR)", "  6.20 EUR  Crème brûlée"])
        #expect(throws: FetchPredicateError.self) { try SpendingList(in: group.context, filter: "content LIKE") }
    }

    @Test func insertIsOneStep() throws {
        let folder = try TripFolder()
        let group = SpendingGroup(try folder.coordinator())
        try group.spend(30_00, on: "Dinner", by: "Zoé")
        let list = try SpendingList(in: group.context)
        try group.spend(51_00, on: "Fuel", by: "Bob")
        #expect(list.steps.count == 1)
        #expect(try list.changes() == ["+ section 0: Bob", "+ section 0, row 0: 51.00 EUR  Fuel"])
    }

    @Test func undoTakesTheLastStepBack() throws {
        let folder = try TripFolder()
        let group = SpendingGroup(try folder.coordinator())
        try group.spend(30_00, on: "Dinner", by: "Zoé")
        let before = try SpendingList(in: group.context).lines()
        try group.spend(51_00, on: "Fuel", by: "Bob")
        let list = try SpendingList(in: group.context)
        #expect(try group.undo() == "Add Fuel")
        #expect(try list.lines() == before)
        #expect(try group.context.fetch(FetchRequest<Person>()).map(\.name) == ["Zoé"])
        #expect(try group.undo() == "Add Dinner")
        #expect(try group.undo() == nil)
    }
}
