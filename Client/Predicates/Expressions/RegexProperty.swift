/// A Unicode property, named in `\p{…}` and `[:…:]`.
enum RegexProperty: Sendable {
    case categories(Set<Unicode.GeneralCategory>)
    case alphabetic, lowercase, uppercase, whitespace, ascii, hexadecimal

    /// - Returns: `nil` for an unknown name.
    init?(_ name: String) {
        // Names are compared without case, blanks and signs, as Unicode's annex 44 says.
        let key = name.lowercased().filter { $0.isLetter }
        if let categories = Self.categories[key] {
            self = .categories(categories)
            return
        }
        switch key {
        case "alphabetic", "alpha": self = .alphabetic
        case "lowercase", "lower": self = .lowercase
        case "uppercase", "upper": self = .uppercase
        case "whitespace", "space": self = .whitespace
        case "ascii": self = .ascii
        case "asciihexdigit", "hexdigit", "xdigit": self = .hexadecimal
        case "alnum": self = .categories(Self.letters.union([.decimalNumber]))
        case "digit": self = .categories([.decimalNumber])
        case "punct": self = .categories(Self.punctuation)
        case "blank": self = .categories([.spaceSeparator])
        case "cntrl": self = .categories([.control])
        default: return nil
        }
    }

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        switch self {
        case .categories(let categories): categories.contains(scalar.properties.generalCategory)
        case .alphabetic: scalar.properties.isAlphabetic
        case .lowercase: scalar.properties.isLowercase
        case .uppercase: scalar.properties.isUppercase
        case .whitespace: scalar.properties.isWhitespace
        case .ascii: scalar.isASCII
        case .hexadecimal: scalar.properties.isASCIIHexDigit
        }
    }

    private static let letters: Set<Unicode.GeneralCategory> = [
        .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
    ]
    private static let marks: Set<Unicode.GeneralCategory> = [.nonspacingMark, .spacingMark, .enclosingMark]
    private static let numbers: Set<Unicode.GeneralCategory> = [.decimalNumber, .letterNumber, .otherNumber]
    private static let punctuation: Set<Unicode.GeneralCategory> = [
        .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
        .finalPunctuation, .otherPunctuation,
    ]
    private static let symbols: Set<Unicode.GeneralCategory> = [
        .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol,
    ]
    private static let separators: Set<Unicode.GeneralCategory> = [
        .spaceSeparator, .lineSeparator, .paragraphSeparator,
    ]
    private static let others: Set<Unicode.GeneralCategory> = [
        .control, .format, .surrogate, .privateUse, .unassigned,
    ]

    private static let categories: [String: Set<Unicode.GeneralCategory>] = [
        "l": letters, "letter": letters, "lu": [.uppercaseLetter], "ll": [.lowercaseLetter], "lt": [.titlecaseLetter],
        "lm": [.modifierLetter], "lo": [.otherLetter], "m": marks, "mark": marks, "mn": [.nonspacingMark],
        "mc": [.spacingMark], "me": [.enclosingMark], "n": numbers, "number": numbers, "nd": [.decimalNumber],
        "nl": [.letterNumber], "no": [.otherNumber], "p": punctuation, "punctuation": punctuation,
        "pc": [.connectorPunctuation], "pd": [.dashPunctuation], "ps": [.openPunctuation], "pe": [.closePunctuation],
        "pi": [.initialPunctuation], "pf": [.finalPunctuation], "po": [.otherPunctuation], "s": symbols,
        "symbol": symbols, "sm": [.mathSymbol], "sc": [.currencySymbol], "sk": [.modifierSymbol], "so": [.otherSymbol],
        "z": separators, "separator": separators, "zs": [.spaceSeparator], "zl": [.lineSeparator],
        "zp": [.paragraphSeparator], "c": others, "other": others, "cc": [.control], "cf": [.format],
        "co": [.privateUse],
    ]
}
