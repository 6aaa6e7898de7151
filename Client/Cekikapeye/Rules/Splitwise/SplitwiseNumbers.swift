/// Reads the amounts of one file, whose decimal mark is settled from all its rows.
struct SplitwiseNumbers {
    /// The mark of decimals in this file.
    let decimalMark: NumberShape.Mark
    /// Whether the mark had to be guessed: there are marks, and each could separate thousands.
    let isGuess: Bool

    /// Settles the mark: the one most numbers show beyond doubt; else by currencies of three decimals; else by guess.
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
            // Splitwise writes two decimals, so a mark before three digits rather separates thousands.
            decimalMark = prefersComma(ambiguous) || ambiguous.isEmpty ? .point : .comma
        }
        isGuess = evident.isEmpty && ofThreeDecimals.isEmpty && !ambiguous.isEmpty
    }

    /// Reads a cell, exact to the minor unit.
    ///
    /// Decimals beyond those of the currency may be there if they are zeros: Splitwise writes `3849.00 JPY`.
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
