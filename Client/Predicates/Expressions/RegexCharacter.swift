internal import Foundation

/// A character in the form that regular expressions compare: a grapheme cluster, compared by canonical equivalence.
struct RegexCharacter: Hashable, Sendable {
    /// The maximum number of scalars of a character that is normalised. No letter has more than a few marks, and ordering
    /// marks takes quadratic time.
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

    /// The single scalar of the character; `nil` for several.
    var scalar: Unicode.Scalar? { several == nil ? first : nil }

    var isDigit: Bool { first.properties.generalCategory == .decimalNumber }
    var isSpace: Bool { first.properties.isWhitespace }

    /// Whether the character is a word character by Unicode's annex 18: letters, marks, digits and connectors.
    var isWord: Bool {
        switch first.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .connectorPunctuation: true
        default: first.properties.isAlphabetic || first == "\u{200C}" || first == "\u{200D}"
        }
    }

    /// The lower-case and upper-case forms, if each is one character and the upper-case form maps back: ß, ς and the
    /// Turkish ı have no upper-case form.
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

/// A text prepared for matching: its characters, with their case forms if case is ignored.
struct RegexText: Sendable {
    let characters: [RegexCharacter]
    /// The case forms of each character; empty if case is not ignored.
    let cases: [[RegexCharacter]]

    init(_ text: String, withCases: Bool) {
        characters = text.map { RegexCharacter($0) }
        cases = withCases ? text.map { RegexCharacter.cases(of: $0) } : []
    }

    /// The case forms of a character.
    subscript(offset: Int) -> RegexForms {
        RegexForms(own: characters[offset], cases: cases.isEmpty ? [] : cases[offset])
    }
}

/// A character of a text with its lower-case and upper-case forms.
struct RegexForms {
    let own: RegexCharacter
    let cases: [RegexCharacter]

    func contains(where isWanted: (RegexCharacter) -> Bool) -> Bool { isWanted(own) || cases.contains(where: isWanted) }
}
