/// The reason why a typed amount cannot be read.
package enum AmountError: Error, Hashable, Sendable {
    /// The text consists of spaces only.
    case empty
    /// The text is longer than an amount can be; the limit is in UTF-8 bytes.
    case tooLong(limit: Int)
    /// The text has a character that does not belong in an amount.
    case unexpectedCharacter(Character, in: String)
    /// The text has a plus or minus without a number on its right, or two signs in a row.
    case misplacedSign(in: String)
    /// The text has points, commas or spaces that neither separate thousands nor mark decimals.
    case misplacedMarks(in: String)
    /// The text has more decimals than the currency.
    case tooManyDecimals(in: String, Currency)
    /// The amount is beyond ``Money/entryLimit``.
    case tooLarge(in: String, Currency)
}

extension AmountError: CustomStringConvertible {
    /// The problem, the reason, and the correct input.
    package var description: String {
        switch self {
        case .empty:
            "Cannot read an amount: nothing was given. Type a number such as 12.50."
        case .tooLong(let limit):
            "Cannot read the amount: it is longer than \(limit) bytes. Type a number such as 12.50."
        case .unexpectedCharacter(let character, let text):
            "Cannot read amount \"\(text.shortened())\": \"\(character)\" is no part of a number. Type digits, as in 12.50."
        case .misplacedSign(let text):
            "Cannot read amount \"\(text.shortened())\": a + or - lacks its number. Type a sum as in 12+4.50."
        case .misplacedMarks(let text):
            """
            Cannot read amount \"\(text.shortened())\": its points, commas or spaces do not fit a number. \
            Type it without thousands separators, as in 1234.50.
            """
        case .tooManyDecimals(let text, let currency):
            "Cannot read amount \"\(text.shortened())\": \(currency) has \(Self.decimals(currency)). Round it yourself."
        case .tooLarge(let text, let currency):
            """
            Cannot enter amount \"\(text.shortened())\": the limit is \
            \(MoneyFormat.plain.string(from: Money(minorUnits: Money.entryLimit, currency: currency))). \
            Check the number of digits.
            """
        }
    }

    private static func decimals(_ currency: Currency) -> String {
        currency.exponent == 0 ? "no decimals" : "\(currency.exponent) decimals at most"
    }
}
