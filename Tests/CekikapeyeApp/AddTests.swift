import CekikapeyeApp
import CekikapeyeRules
import RoostModel
import Testing

struct AddTests {
    @Test func everyoneActiveSharesEvenlyByDefault() throws {
        let sample = try TemporaryBook()
        let entered = try sample.add("42,50")
        #expect(sample.paid(entered) == ["Ana": 4250])
        #expect(sample.consumed(entered).values.sorted() == [1416, 1417, 1417])
        #expect(entered.expense.date.description == "2026-07-14")
    }

    @Test func balancesAddUpToZero() throws {
        let sample = try TemporaryBook()
        try sample.add("42,50")
        try sample.add("60") { $0.split.payers = ["Bob"] }
        #expect(try sample.balances().values.reduce(0, +) == 0)
    }

    @Test func oddCentFollowsFromTheRecordAlone() throws {
        let (one, two) = (try TemporaryBook(), try TemporaryBook())
        #expect(try one.consumed(one.add("0,01", "a")) == two.consumed(two.add("0,01", "b")))
    }

    @Test func exactAmountsLeaveTheRestToTheOthers() throws {
        let sample = try TemporaryBook()
        let entered = try sample.add("12+4.50") { $0.split.exact = ["bob=8"] }
        #expect(sample.consumed(entered) == ["Ana": 425, "Bob": 800, "Chloé": 425])
        #expect(entered.reading?.needsEcho == true)
    }

    @Test func exactAmountsOfTheWholeLeaveNobodyElse() throws {
        let sample = try TemporaryBook()
        let entered = try sample.add("10") { $0.split.exact = ["Ana=4,Bob=6"] }
        #expect(sample.consumed(entered) == ["Ana": 400, "Bob": 600])
    }

    @Test func sharesNameThoseWhoTakePart() throws {
        let sample = try TemporaryBook()
        let entered = try sample.add("90") { $0.split.shares = ["Ana=2,Bob=1"] }
        #expect(sample.consumed(entered) == ["Ana": 6000, "Bob": 3000])
    }

    @Test func percentsMustBeAHundred() throws {
        let sample = try TemporaryBook(language: .english)
        let entered = try sample.add("10") { $0.split.percent = ["Ana=33.5", "Bob=66,5%"] }
        #expect(sample.consumed(entered) == ["Ana": 335, "Bob": 665])
        let error = #expect(throws: BookError.self) { try sample.add("10") { $0.split.percent = ["Ana=90"] } }
        #expect(error?.code == "badSplit")
        #expect(error?.message(in: .english).contains("the percents add up to 90 %, expected 100 %") == true)
    }

    @Test func payersWithoutAmountTakeWhatIsLeft() throws {
        let sample = try TemporaryBook()
        let entered = try sample.add("90,10") { $0.split.payers = ["Ana=60,10,Bob"] }
        #expect(sample.paid(entered) == ["Ana": 6010, "Bob": 3000])
        #expect(try sample.book.contents().spendings.first?.person == sample.book.contents().member(named: "Ana").id)
    }

    @Test func payersMayNotPayMoreThanTheAmount() throws {
        let sample = try TemporaryBook()
        #expect(throws: BookError.payersExceed) { try sample.add("10") { $0.split.payers = ["Ana=12", "Bob"] } }
    }

    @Test func twoWaysOfSplittingAreRefused() throws {
        let sample = try TemporaryBook()
        #expect(throws: BookError.severalModes) {
            try sample.add("10") {
                $0.split.exact = ["Bob=8"]
                $0.split.shares = ["Bob=1"]
            }
        }
    }

    @Test func payerMustBeKnown() throws {
        let sample = try TemporaryBook()
        #expect(throws: BookError.payerNeeded(candidates: ["Ana", "Bob", "Chloé"])) {
            try sample.add("10") { $0.me = nil }
        }
    }

    @Test(arguments: ["12.345", "1,5x", "", "9999999999999"])
    func amountsThatWouldBeGuessedAreRefused(_ amount: String) throws {
        let sample = try TemporaryBook(language: .english)
        #expect(throws: BookError.self) { try sample.add(amount) }
        #expect(try sample.book.contents().spendings.isEmpty)
    }

    @Test func otherCurrenciesHaveBalancesOfTheirOwn() throws {
        let sample = try TemporaryBook()
        try sample.add("300") { $0.currency = "jpy" }
        #expect(try sample.balances("JPY") == ["Ana": 200, "Bob": -100, "Chloé": -100])
        #expect(try sample.balances() == ["Ana": 0, "Bob": 0, "Chloé": 0])
    }

    @Test func incomeOwesToThoseItIsFor() throws {
        let sample = try TemporaryBook()
        try sample.add("30") { $0.kind = .income }
        #expect(try sample.balances() == ["Ana": -2000, "Bob": 1000, "Chloé": 1000])
    }

    @Test func undoTakesItBack() throws {
        let sample = try TemporaryBook()
        try sample.add("42,50")
        #expect(try sample.book.undo() == "add courses")
        #expect(try sample.book.contents().spendings.isEmpty)
    }

    @Test func blankTitlesAreRefused() throws {
        let sample = try TemporaryBook()
        #expect(throws: BookError.blank) { try sample.add("1", "  ") }
    }

    @Test(arguments: ["", " ", ",", "=5"]) func anOptionThatNamesNobodyIsRefused(_ text: String) throws {
        let sample = try TemporaryBook()
        #expect(throws: BookError.nobodyNamed(option: "--for")) {
            try sample.add("10") { $0.split.participants = [text] }
        }
        #expect(throws: BookError.nobodyNamed(option: "--by")) { try sample.add("10") { $0.split.payers = [text] } }
    }
}
