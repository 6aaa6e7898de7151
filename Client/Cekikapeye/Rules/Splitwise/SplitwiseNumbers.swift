/// Parses the amounts of one file, whose decimal mark is determined from all its rows.
struct SplitwiseNumbers {
    /// The decimal mark of this file.
    let decimalMark: NumberShape.Mark
    /// Whether the mark is a guess: there are marks, and each could separate thousands.
    let isGuess: Bool

    /// Determines the mark. The sources, in order, are the numbers with an unambiguous mark, amounts in currencies of
    /// three decimals, and a guess.
    init(rows: [CSVRecord]) {
        var evident: [NumberShape.Mark: Int] = [:]
        var ofThreeDecimals: [NumberShape.Mark: Int] = [:]
        var ambiguous: [NumberShape.Mark: Int] = [:]
        for row in rows where row.cells.count > SplitwiseHeader.leadingColumns {
            let exponent = (try? Currency(code: row.cells[4]))?.exponent
            for cell in [row.cells[3]] + row.cells[SplitwiseHeader.leadingColumns...] {
                guard let shape = try? NumberShape(Self.unsigned(cell).digits.unicodeScalars) else { continue }
                if let mark = shape.evidentDecimalMark {
                    evident[mark, default: 0] += 1
                } else if shape.isAmbiguous {
                    ambiguous[shape.marks[0], default: 0] += 1
                    if exponent == 3 { ofThreeDecimals[shape.marks[0], default: 0] += 1 }
                }
            }
        }
        func prefersComma(_ counts: [NumberShape.Mark: Int]) -> Bool {
            counts[.comma, default: 0] > counts[.point, default: 0]
        }
        if !evident.isEmpty {
            decimalMark = prefersComma(evident) ? .comma : .point
        } else if !ofThreeDecimals.isEmpty {
            decimalMark = prefersComma(ofThreeDecimals) ? .comma : .point
        } else {
            // Splitwise writes two decimals, so a mark before three digits probably separates thousands.
            decimalMark = prefersComma(ambiguous) || ambiguous.isEmpty ? .point : .comma
        }
        isGuess = evident.isEmpty && ofThreeDecimals.isEmpty && !ambiguous.isEmpty
    }

    /// Parses a cell, exactly to the minor unit.
    ///
    /// Additional decimals are accepted if they are zeros: Splitwise writes `3849.00 JPY`.
    func minorUnits(_ cell: String, currency: Currency) throws(SplitwiseRowFault) -> Int64 {
        let (isNegative, text) = Self.unsigned(cell)
        guard let shape = try? NumberShape(text.unicodeScalars), let digits = shape.digits(decimalMark: decimalMark)
        else { throw .notANumber(cell) }
        guard !digits.exceeds(exponent: currency.exponent) else { throw .tooManyDecimals(cell, currency) }
        guard let value = digits.minorUnits(exponent: currency.exponent), value <= Money.entryLimit else {
            throw .tooLarge(cell, currency)
        }
        return isNegative ? -value : value
    }

    private static func unsigned(_ cell: String) -> (isNegative: Bool, digits: String) {
        let text = cell.trimmingBlanks()
        switch text.unicodeScalars.first {
        case "-", "\u{2212}": return (true, String(text.unicodeScalars.dropFirst()))
        case "+": return (false, String(text.unicodeScalars.dropFirst()))
        default: return (false, text)
        }
    }
}
