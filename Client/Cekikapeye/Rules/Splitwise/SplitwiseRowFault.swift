/// The reason why one row cannot be imported.
enum SplitwiseRowFault: Error, Hashable {
    case wrongColumns(got: Int, expected: Int)
    case badDate(String)
    case badCurrency(String)
    case notANumber(String)
    case tooManyDecimals(String, Currency)
    case tooLarge(String, Currency)
    case notZeroSum(Int64, Currency)
    case costTooSmall(cost: Int64, owed: Int64, Currency)
    case negativePayment
    case totalsDiffer(names: [String], Currency)
    case tooManyPeople(limit: Int)

    /// The problem, with the actual and the expected value.
    var reason: String {
        switch self {
        case .wrongColumns(let got, let expected): "The row has \(got) columns, expected \(expected) as in the header."
        case .badDate(let text): "The date is \"\(text.shortened())\", expected a day as YYYY-MM-DD."
        case .badCurrency(let text): "The currency is \"\(text.shortened())\", expected an ISO 4217 code."
        case .notANumber(let text): "An amount is \"\(text.shortened())\", expected a number as in the other rows."
        case .tooManyDecimals(let text, let currency):
            "An amount is \"\(text.shortened())\", expected at most \(currency.exponent) decimals for \(currency)."
        case .tooLarge(let text, let currency):
            "An amount is \"\(text.shortened())\", expected at most \(Self.text(Money.entryLimit, currency))."
        case .notZeroSum(let sum, let currency):
            "The amounts of the people add up to \(Self.text(sum, currency)), expected 0."
        case .costTooSmall(let cost, let owed, let currency):
            "The cost is \(Self.text(cost, currency)), but people owe \(Self.text(owed, currency))."
        case .negativePayment: "A payment has a cost below 0."
        case .totalsDiffer(let names, let currency):
            "The rows of \(currency) do not add up to the total of \(names.joined(separator: ", "))."
        case .tooManyPeople(let limit): "The row concerns more than \(limit) people."
        }
    }

    /// The advice to the user who has the file.
    var advice: String {
        switch self {
        case .wrongColumns: "Quote cells that contain a comma, or export the file again."
        case .badDate: "Write the date as in 2026-07-14."
        case .badCurrency: "Write the code of the currency, such as EUR."
        case .notANumber, .tooManyDecimals, .tooLarge: "Correct the amount, or skip the row."
        case .notZeroSum, .costTooSmall, .negativePayment:
            "Correct the row in Splitwise and export again, or skip it."
        case .totalsDiffer: "Look for a missing or changed row, or export the file again."
        case .tooManyPeople: "Skip the row and enter it by hand."
        }
    }

    private static func text(_ amount: Int64, _ currency: Currency) -> String {
        MoneyFormat.plain.string(from: Money(minorUnits: amount, currency: currency))
    }
}
