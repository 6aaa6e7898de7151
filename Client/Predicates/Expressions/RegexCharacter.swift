internal import Foundation

/// A character as regular expressions compare it: a grapheme cluster, of which two are equal where they look the same.
struct RegexCharacter: Hashable, Sendable {
    /// Scalars up to which a character is brought into one form. More than a few marks stand on no letter, and bringing
    /// them into order takes the square of their number.
    private static let scalarsMax = 32

    /// The first scalar of the composed form.
    let first: Unicode.Scalar
    /// The bytes of the composed form where it has several scalars.
    private let several: [UInt8]?
    let isNewline: Bool

    init(_ character: Character) { self.init(character, isShort: Self.isShort(character)) }

    private init(_ character: Character, isShort: Bool) {
        isNewline = character.isNewline
        if let ascii = character.utf8.first, ascii < 0x80, character.utf8.count == 1 {
            (first, several) = (Unicode.Scalar(ascii), nil)
            return
        }
        let text = isShort ? String(character).precomposedStringWithCanonicalMapping : String(character)
        first = text.unicodeScalars.first ?? " "
        several = text.unicodeScalars.count > 1 ? Array(text.utf8) : nil
    }

    private static func isShort(_ character: Character) -> Bool { character.unicodeScalars.count <= scalarsMax }

    /// The one scalar that it is; `nil` for several.
    var scalar: Unicode.Scalar? { several == nil ? first : nil }

    var isDigit: Bool { first.properties.generalCategory == .decimalNumber }
    var isSpace: Bool { first.properties.isWhitespace }

    /// As Unicode's annex 18 has it: letters, marks, digits and what connects them.
    var isWord: Bool {
        switch first.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .connectorPunctuation: true
        default: first.properties.isAlphabetic || first == "\u{200C}" || first == "\u{200D}"
        }
    }

    /// Its small and its capital letter, where each is one character and the capital has the same small letter: ß, ς and the
    /// Turkish ı have no capital.
    static func cases(of character: Character) -> [RegexCharacter] {
        if let ascii = character.utf8.first, ascii < 0x80, character.utf8.count == 1 {
            let isLetter = (0x41...0x5A).contains(ascii & 0xDF)
            return isLetter ? [RegexCharacter(Character(Unicode.Scalar(ascii ^ 0x20)))] : []
        }
        guard isShort(character) else { return [] }
        let (lower, upper) = (character.lowercased(), character.uppercased())
        let texts = upper.lowercased() == lower ? [lower, upper] : [lower]
        return texts.compactMap { $0.count == 1 ? $0.first.map { RegexCharacter($0) } : nil }
    }
}

/// A text as regular expressions read it: each character, with its small and its capital letter where case is ignored.
struct RegexText: Sendable {
    let characters: [RegexCharacter]
    /// Empty where case is not ignored.
    let cases: [[RegexCharacter]]

    init(_ text: String, withCases: Bool) {
        characters = text.map { RegexCharacter($0) }
        cases = withCases ? text.map { RegexCharacter.cases(of: $0) } : []
    }

    /// The forms of a character.
    subscript(offset: Int) -> RegexForms {
        RegexForms(own: characters[offset], cases: cases.isEmpty ? [] : cases[offset])
    }
}

/// A character of a text, with its small and its capital letter.
struct RegexForms {
    let own: RegexCharacter
    let cases: [RegexCharacter]

    func contains(where isWanted: (RegexCharacter) -> Bool) -> Bool { isWanted(own) || cases.contains(where: isWanted) }
}
