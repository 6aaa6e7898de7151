/// Parses an amount as users type it, and refuses input that it would have to guess or round.
///
/// It accepts an optional sign, digits, thousands separated by spaces, apostrophes, points or commas, either decimal
/// mark, and sums such as `12+4.50`. The language decides how an ambiguous "1.234" is read, and the result reports this.
package struct AmountParser: Hashable, Sendable {
    /// The currency of the amount, which determines the allowed decimals.
    package let currency: Currency
    /// The language, which determines how ambiguous marks are read.
    package let language: Language

    /// The maximum length of the text, in UTF-8 bytes.
    package static let inputBytesMax = 256

    /// Makes a parser for one currency and language.
    package init(currency: Currency, language: Language) {
        self.currency = currency
        self.language = language
    }

    /// Parses the entire text.
    ///
    /// - Throws: The ``AmountError`` that fits. Nothing is rounded and no part of the text is ignored.
    package func parse(_ text: String) throws(AmountError) -> ParsedAmount {
        guard text.utf8.count <= Self.inputBytesMax else { throw .tooLong(limit: Self.inputBytesMax) }
        guard !text.isBlank else { throw .empty }
        var total: Int64 = 0
        var guesses: [MarkGuess] = []
        let terms = try terms(of: text)
        for term in terms {
            let (minorUnits, guess) = try read(term.text, in: text)
            // Each term is at most 10^12 and the text at most 256 bytes, so the sum cannot overflow.
            total += term.isNegative ? -minorUnits : minorUnits
            if let guess { guesses.append(guess) }
        }
        guard let money = try? Money(entered: total, currency: currency) else { throw .tooLarge(in: text, currency) }
        return ParsedAmount(money: money, termCount: terms.count, guesses: guesses)
    }

    private func terms(of text: String) throws(AmountError) -> [(isNegative: Bool, text: String)] {
        var terms: [(isNegative: Bool, text: String)] = []
        var isNegative = false
        var hasSign = false
        var current = ""
        for scalar in text.unicodeScalars {
            guard let sign = Self.isMinus(scalar) else {
                current.unicodeScalars.append(scalar)
                continue
            }
            if !current.isBlank {
                terms.append((isNegative, current.trimmingBlanks()))
            } else if hasSign {
                throw .misplacedSign(in: text)
            }
            (isNegative, hasSign, current) = (sign, true, "")
        }
        guard !current.isBlank else { throw .misplacedSign(in: text) }
        terms.append((isNegative, current.trimmingBlanks()))
        return terms
    }

    private func read(_ term: String, in text: String) throws(AmountError) -> (Int64, MarkGuess?) {
        let shape = try shape(of: term, in: text)
        let languageMark: NumberShape.Mark = language == .english ? .point : .comma
        let isDecimal = shape.isAmbiguous && shape.marks[0] == languageMark
        let mark = isDecimal ? languageMark : shape.evidentDecimalMark
        guard let digits = shape.digits(decimalMark: mark) else { throw .misplacedMarks(in: text) }
        guard digits.fraction.count <= currency.exponent else { throw .tooManyDecimals(in: text, currency) }
        guard let value = digits.minorUnits(exponent: currency.exponent), value <= Money.entryLimit else {
            throw .tooLarge(in: text, currency)
        }
        return (value, shape.isAmbiguous ? MarkGuess(text: term, role: isDecimal ? .decimals : .thousands) : nil)
    }

    private func shape(of term: String, in text: String) throws(AmountError) -> NumberShape {
        do { return try NumberShape(term.unicodeScalars) } catch {
            switch error {
            case .unexpected(let character): throw .unexpectedCharacter(character, in: text)
            case .marksMisplaced: throw .misplacedMarks(in: text)
            }
        }
    }

    /// Returns whether the sign is a minus; `nil` if the scalar is not a sign. U+2212 is the typographical minus sign.
    private static func isMinus(_ scalar: Unicode.Scalar) -> Bool? {
        switch scalar {
        case "+": false
        case "-", "\u{2212}": true
        default: nil
        }
    }
}
