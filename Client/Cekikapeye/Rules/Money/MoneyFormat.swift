/// The notation of an amount.
package enum MoneyFormat: Hashable, Sendable {
    /// ASCII only, for pipes and files: `-1234567.50 EUR`.
    case plain
    /// The customary notation of the language, for a terminal or a page: `-1 234 567,50 €`, `-€1,234,567.50`.
    case pretty(Language)

    /// Formats the amount with exactly the decimals of its currency.
    package func string(from money: Money) -> String {
        let sign = money.minorUnits < 0 ? "-" : ""
        let currency = money.currency
        switch self {
        case .plain:
            return "\(sign)\(digits(of: money, group: "", mark: ".")) \(currency.code)"
        case .pretty(.french):
            let number = digits(of: money, group: Self.narrowNoBreakSpace, mark: ",")
            return sign + number + Self.noBreakSpace + (Self.frenchSymbols[currency.code] ?? currency.code)
        case .pretty(.english):
            let number = digits(of: money, group: ",", mark: ".")
            guard let symbol = Self.englishSymbols[currency.code] else {
                return sign + currency.code + Self.noBreakSpace + number
            }
            return sign + symbol + number
        }
    }

    /// Formats the amount, with a plus sign if it is positive, for balances.
    package func signedString(from money: Money) -> String {
        (money.minorUnits > 0 ? "+" : "") + string(from: money)
    }

    private func digits(of money: Money, group: String, mark: String) -> String {
        let exponent = money.currency.exponent
        let bare = String(money.minorUnits.magnitude)
        let padded = String(repeating: "0", count: max(0, exponent + 1 - bare.count)) + bare
        let whole = padded.dropLast(exponent)
        var text = ""
        for (position, digit) in whole.enumerated() {
            if position > 0, (whole.count - position).isMultiple(of: 3) { text += group }
            text.append(digit)
        }
        return exponent == 0 ? text : text + mark + padded.suffix(exponent)
    }

    private static let noBreakSpace = "\u{00A0}"
    private static let narrowNoBreakSpace = "\u{202F}"

    // The symbols that CLDR has for the two languages. A currency without a symbol is printed as its code.
    private static let frenchSymbols = [
        "AUD": "$AU", "BRL": "R$", "CAD": "$CA", "EUR": "€", "GBP": "£GB", "ILS": "₪", "INR": "₹", "KRW": "₩",
        "MXN": "$MX", "NZD": "$NZ", "USD": "$US", "VND": "₫",
    ]
    private static let englishSymbols = [
        "AUD": "A$", "BRL": "R$", "CAD": "CA$", "CNY": "CN¥", "EUR": "€", "GBP": "£", "ILS": "₪", "INR": "₹",
        "JPY": "¥", "KRW": "₩", "MXN": "MX$", "NZD": "NZ$", "USD": "$", "VND": "₫",
    ]
}
