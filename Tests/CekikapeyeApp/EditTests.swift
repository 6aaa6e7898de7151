import CekikapeyeApp
import CekikapeyeRules
import Replica
import RoostModel
import Testing

struct EditTests {
    @Test func titleMovesNoCents() throws {
        let sample = try TemporaryBook()
        let before = try sample.add("0,01")
        var request = EditRequest()
        request.title = "marché"
        let after = try sample.book.edit(before.id.description, request)
        #expect(after.expense.title == "marché")
        #expect(after.expense.consumed == before.expense.consumed)
    }

    @Test func amountFollowsTheOnePayer() throws {
        let sample = try TemporaryBook()
        let id = try sample.add("30").id
        var request = EditRequest()
        request.amount = "60"
        let after = try sample.book.edit(String(id.description.suffix(6)), request)
        #expect(sample.paid(after) == ["Ana": 6000])
        #expect(try sample.balances() == ["Ana": 4000, "Bob": -2000, "Chloé": -2000])
    }

    @Test func amountOfSeveralPayersNeedsTheirParts() throws {
        let sample = try TemporaryBook()
        let id = try sample.add("30") { $0.split.payers = ["Ana=10", "Bob=20"] }.id
        var request = EditRequest()
        request.amount = "60"
        #expect(throws: BookError.payersNeeded) { try sample.book.edit(id.description, request) }
        request.split.payers = ["Bob=60"]
        #expect(try sample.paid(sample.book.edit(id.description, request)) == ["Bob": 6000])
        #expect(try sample.book.contents().spendings.first?.person == sample.book.contents().member(named: "Bob").id)
    }

    @Test func whatIsNotNamedStays() throws {
        let sample = try TemporaryBook()
        let before = try sample.add("30") {
            $0.category = "food"
            $0.note = "at noon"
            $0.split.participants = ["Bob"]
        }
        var request = EditRequest()
        request.date = "-1d"
        request.note = ""
        let after = try sample.book.edit(before.id.description, request)
        let spending = try #require(after.contents.spendings.first)
        #expect(spending.category == "food")
        #expect(spending.note == nil)
        #expect(spending.date == "2026-07-13")
        #expect(sample.consumed(after) == ["Bob": 3000])
    }

    @Test func anEditOfNothingIsNoStep() throws {
        let sample = try TemporaryBook()
        let id = try sample.add("30").id.description
        var request = EditRequest()
        request.title = "courses"
        request.amount = "30"
        #expect(try !sample.book.edit(id, request).isStep)
        request.amount = "31"
        #expect(try sample.book.edit(id, request).isStep)
        #expect(try sample.book.undo() == "edit courses")
        #expect(try sample.book.contents().spendings.map(\.minorUnits) == [3000])
    }

    @Test func editKeepsWhatAnotherProgramWroteMeanwhile() throws {
        let sample = try TemporaryBook()
        let id = try sample.add("30").id
        try sample.book.replica.write("another program") { try $0.put("Spending", id: id, ["note": .string("late")]) }
        var request = EditRequest()
        request.title = "marché"
        let after = try sample.book.edit(id.description, request)
        #expect(after.contents.spendings.map(\.note) == ["late"])
    }

    @Test func deleteIsUndeleted() throws {
        let sample = try TemporaryBook()
        let id = try sample.add("30").id
        let gone = try sample.book.deleteSpending(id.description)
        #expect(gone.id == id)
        #expect(try sample.book.contents().spendings.isEmpty)
        #expect(try sample.book.undelete(String(id.description.suffix(8))).title == "courses")
        #expect(try sample.book.contents().spendings.map(\.id) == [id])
    }

    @Test func unknownAndAmbiguousIdentifiersAreTold() throws {
        let sample = try TemporaryBook()
        try sample.add("30")
        #expect(throws: BookError.unknownRecord("ffffffff")) { try sample.book.deleteSpending("ffffffff") }
        #expect(throws: BookError.unknownRecord("1")) { try sample.book.deleteSpending("1") }
    }

    /// The amount 12.50 EUR cannot become 1250 JPY.
    @Test func aCurrencyOfOtherDecimalsNeedsAnAmount() throws {
        let sample = try TemporaryBook()
        let id = try sample.add("12,50").id.description
        var request = EditRequest()
        request.currency = "JPY"
        #expect(throws: BookError.amountNeeded(from: try Currency(code: "EUR"), to: try Currency(code: "JPY"))) {
            try sample.book.edit(id, request)
        }
        request.amount = "2000"
        #expect(try sample.book.edit(id, request).expense.amount.minorUnits == 2000)
        request = EditRequest()
        request.currency = "KRW"
        #expect(try sample.book.edit(id, request).expense.amount.minorUnits == 2000)
    }
}
