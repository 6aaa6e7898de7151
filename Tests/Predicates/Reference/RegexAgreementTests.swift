import Foundation
import Predicates
import RoostModel
import Testing

/// MATCHES agrees with Foundation's NSRegularExpression on texts in which every character is mapped to one scalar.
@Suite struct RegexAgreementTests {
    /// Letters that NSRegularExpression compares by case folding, and Swift by the letter: ß is ss, ς is σ.
    static let severalWithoutCase: Set<String> = ["ß", "ẞ", "ss", "ﬁ", "ς"]

    @Test(arguments: [TextOptions(), .caseInsensitive, .diacriticInsensitive, .loose])
    func randomExpressionsAgree(_ options: TextOptions) throws {
        let world = try PredicateWorld()
        let letters = TrickyTexts.letters.filter {
            !options.contains(.caseInsensitive) || !Self.severalWithoutCase.contains($0)
        }
        var expressions = RandomExpression(texts: TrickyTexts(random: SplitMix64(state: 2121)), letters: letters)
        var names: [RecordID: String] = [:]
        for _ in 0..<150 {
            let name = expressions.text()
            names[world.add("Person", ["name": .string(name)])] = name
        }
        try world.store()
        var selected = 0
        for _ in 0..<200 {
            let pattern = expressions.pattern(depth: 2)
            var scalars = OneScalarEach()
            let folded = NaiveText.folded(pattern, options.intersection(.diacriticInsensitive))
            let reference = try NSRegularExpression(
                pattern: "\\A(?:\(scalars.text(folded)))\\z",
                options: options.contains(.caseInsensitive) ? .caseInsensitive : [])
            var wanted: Set<RecordID> = []
            for (id, name) in names {
                let text = scalars.text(NaiveText.folded(name, options.intersection(.diacriticInsensitive)))
                let range = NSRange(location: 0, length: text.utf16.count)
                if reference.firstMatch(in: text, range: range) != nil { wanted.insert(id) }
            }
            let comparison = PredicateComparison(
                .path(.init(["name"])), .matches, .constant(.string(pattern)), options: options)
            let selection = try world.select(FetchPredicate(.comparison(comparison)), "Person")
            #expect(selection.sql == selection.direct)
            for id in wanted.symmetricDifference(selection.direct) {
                Issue.record(
                    "\(names[id]?.debugDescription ?? "") MATCHES\(options.rawValue) \(pattern.debugDescription): \(wanted.contains(id)) by NSRegularExpression"
                )
            }
            selected += wanted.count
        }
        #expect(selected > 1000)
    }
}

extension RegexAgreementTests {
    /// The difference that the random expressions avoid: letters are compared one by one.
    @Test(arguments: [("ß", "ss"), ("ẞ", "ss"), ("ﬁ", "fi"), ("ς", "[σ]")])
    func withoutCaseALetterIsOne(_ text: String, _ pattern: String) throws {
        let reference = try NSRegularExpression(pattern: pattern, options: .caseInsensitive)
        #expect(reference.firstMatch(in: text, range: NSRange(location: 0, length: text.utf16.count)) != nil)
        #expect(RegexPattern(pattern, .caseInsensitive)?.matches(text) == false)
    }
}

/// Random expressions in the common subset of both dialects.
private struct RandomExpression {
    var texts: TrickyTexts
    let letters: [String]

    private mutating func letter() -> String { texts.pick(letters) }

    mutating func text() -> String {
        (0..<Int.random(in: 0...4, using: &texts.random)).map { _ in
            texts.pick([letter(), letter(), letter(), texts.pick(["-", "_", "\\", "1", " ", "\n", "\u{0}", "%", "*"])])
        }.joined()
    }

    mutating func pattern(depth: Int) -> String {
        let parts = (0..<Int.random(in: 1...3, using: &texts.random)).map { _ in part(depth: depth) }
        return parts.joined()
    }

    private mutating func part(depth: Int) -> String {
        let atom: String
        switch Int.random(in: 0..<12, using: &texts.random) {
        case 0, 1, 2: atom = "."
        case 3: atom = texts.pick(["\\w", "\\d", "\\s", "\\W", "[a-zA-Z]", "[^a-z]"])
        case 4: atom = "[\(letter())\(letter())\(letter())]"
        case 5: atom = "[^\(letter())\(letter())]"
        case 6 where depth > 0, 7 where depth > 0:
            // Neither part is empty: the dialects differ on repetitions of nothing.
            atom = "(\(pattern(depth: depth - 1))\(letter())|\(pattern(depth: depth - 1)).)"
        case 8: atom = texts.pick(["\\\\", "\\*", "-", "_", "%", " ", "1"])
        default: atom = "(?:\(letter()))"
        }
        return atom + texts.pick(["", "", "", "*", "+", "?", "{1,2}", "*?"])
    }
}

/// Maps each character to one scalar, and equal characters to equal scalars: NSRegularExpression counts scalars, MATCHES
/// counts characters.
private struct OneScalarEach {
    private var known: [Character: Character] = [:]
    // Chinese characters replace letters, other scalars replace the rest: \w distinguishes them.
    private var nextLetter: UInt32 = 0x5000
    private var nextSign: UInt32 = 0xE000

    mutating func text(_ text: String) -> String { String(text.map { scalar(of: $0) }) }

    private mutating func scalar(of character: Character) -> Character {
        let composed = String(character).precomposedStringWithCanonicalMapping
        if composed.unicodeScalars.count == 1, let own = composed.first { return own }
        if let known = known[character] { return known }
        let isLetter = character.unicodeScalars.first?.properties.isAlphabetic == true
        let value = isLetter ? nextLetter : nextSign
        if isLetter { nextLetter += 1 } else { nextSign += 1 }
        let stand = Unicode.Scalar(value).map(Character.init) ?? character
        known[character] = stand
        return stand
    }
}
