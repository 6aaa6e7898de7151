/// Why a typed amount cannot be read.
package enum AmountError: Error, Hashable, Sendable {
    /// Nothing but spaces was typed.
    case empty
    /// The text is longer than an amount can be; the limit is in UTF-8 bytes.
    case tooLong(limit: Int)
    /// A character that belongs in no amount.
    case unexpectedCharacter(Character, in: String)
    /// A plus or minus without a number on its right, or two in a row.
    case misplacedSign(in: String)
    /// Points, commas or spaces that neither separate thousands nor mark decimals.
    case misplacedMarks(in: String)
    /// More decimals than the currency has.
    case tooManyDecimals(in: String, Currency)
    /// The amount is beyond ``Money/entryLimit``.
    case tooLarge(in: String, Currency)
}

extension AmountError: CustomStringConvertible {
    /// What could not be read, why, and what to type instead.
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
