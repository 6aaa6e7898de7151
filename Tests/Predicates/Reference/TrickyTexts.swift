import Foundation
import RoostModel

/// Short random texts of characters that are hard to compare.
struct TrickyTexts {
    /// Metacharacters of patterns, SQL and regular expressions, and their full-width forms.
    static let signs = ["%", "_", "*", "?", "\\", "％", "＊", "？", "＼", "-", "\n", "\u{0}"]
    /// Letters in one scalar and in several, with and without case, in scripts with and without accents.
    static let letters = [
        "a", "A", "e", "E", "é", "É", "e\u{301}", "E\u{301}", "s", "S", "ß", "ẞ", "ss", "i", "I", "İ", "ı", "ﬁ", "f",
        "σ", "ς", "Σ",
        "ø", "Ł", "й", "И", "ё", "K", "Å", "Ａ", "ａ", "か", "が", "か\u{3099}", "ハ", "パ", "ﾊ", "ﾊﾟ", "日",
        "😀", "👩‍👩‍👧", "🇫🇷",
    ]
    /// A combining mark.
    static let mark = "\u{301}"

    var random: SplitMix64

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    mutating func pick<Item>(_ items: [Item]) -> Item { items[Int.random(in: 0..<items.count, using: &random)] }

    mutating func piece() -> String { pick(chance(75) ? Self.letters : Self.signs) }

    /// A random text, without two added marks on one letter: Foundation removes only the first mark of a wide letter.
    mutating func text(_ pieces: ClosedRange<Int>) -> String {
        (0..<Int.random(in: pieces, using: &random)).map { _ in piece() + (chance(6) ? Self.mark : "") }.joined()
    }

    /// A part of a text, with some letters in another form.
    mutating func part(of text: String) -> String {
        let characters = Array(text)
        let start = Int.random(in: 0...characters.count, using: &random)
        let end = Int.random(in: start...characters.count, using: &random)
        return characters[start..<end].map { other(String($0)) }.joined()
    }

    /// A pattern of LIKE derived from a text.
    mutating func pattern(of text: String) -> String {
        text.map { character in
            switch Int.random(in: 0..<10, using: &random) {
            case 0, 1: "*"
            case 2, 3: "?"
            case 4: "\\\(character)"
            default: other(String(character))
            }
        }.joined() + (chance(15) ? pick(["*", "?", "\\", piece()]) : "")
    }

    private mutating func other(_ text: String) -> String {
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1: text.uppercased()
        case 2, 3: text.lowercased()
        case 4: text.decomposedStringWithCanonicalMapping
        case 5: piece()
        default: text
        }
    }
}
