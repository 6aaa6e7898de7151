import Foundation
import Predicates
import RoostModel
import TestSupport
import Testing

/// Patterns, folding and the order of names.
@Suite struct TextMatchingTests {
    @Test(arguments: [
        ("", "", true), ("", "a", false), ("*", "", true), ("?", "", false), ("a*c", "abbc", true),
        ("a*c", "abcb", false),
        ("*a*", "bab", true), ("**", "x", true), ("a?c", "abc", true), ("a?c", "ac", false), ("\\*", "*", true),
        ("\\*", "x", false), ("\\?", "?", true), ("a\\", "a\\", true), ("?", "👨‍👩‍👧", true), ("é", "e\u{301}", true),
        ("*ab*ab", "abab", true), ("*aab", "aaaab", true), ("ab", "AB", false), ("a.c", "abc", false),
    ])
    func likeMatchesTheWhole(_ pattern: String, _ text: String, _ expected: Bool) {
        #expect(LikePattern(pattern, []).matches(text) == expected)
    }

    /// A character that folds to a wildcard is a literal; a character that folds to two characters counts as two.
    @Test(arguments: [
        ("＊", "x", false), ("＊", "*", true), ("*？", "ab", false), ("＼*", "＼ab", true), ("*\u{301}", "ab", false),
        ("*\u{301}", "*", true), ("?", "ß", false), ("??", "ß", true), ("stra??e", "STRASSE", true),
    ])
    func likeReadsItsSignsAsWritten(_ pattern: String, _ text: String, _ expected: Bool) {
        #expect(LikePattern(pattern, [.loose, .widthInsensitive]).matches(text) == expected)
    }

    @Test(arguments: ["(", "[", "(?:", "a|("]) func aHostileExpressionIsNotRead(_ part: String) {
        #expect(RegexPattern(String(repeating: part, count: 100_000), []) == nil)
        #expect(RegexPattern(String(repeating: part, count: 101), []) == nil)
    }

    /// A backtracking matcher would not terminate in time on these texts. The test counts steps, not seconds.
    @Test(arguments: [
        "(a+)+b", "(a|aa)+b", "(a*)*b", "(.*)*b", "(a?){30}a{30}b", "(a|a?)+$b", "^(([a-z])+.)+[A-Z]([a-z])+$",
        "(?i)(a+)+b",
    ])
    func aHostileExpressionTakesFewSteps(_ pattern: String) throws {
        let expression = try #require(RegexPattern(pattern, []))
        var steps = 0
        #expect(!expression.matches(String(repeating: "a", count: 3000) + "c", &steps))
        #expect(steps <= 3002 * expression.size)
        #expect(expression.size < 120)
    }

    /// Comparing by canonical equivalence takes quadratic time in the length of a run of marks.
    @Test func aLetterWithManyMarksIsOneLetter() throws {
        let text = "a" + String(repeating: "\u{301}\u{323}", count: 50_000)
        let expression = try #require(RegexPattern("(.|é|[a-z])*b?", .caseInsensitive))
        #expect(expression.matches(text))
        #expect(!expression.matches(text + "c\n"))
    }

    /// Sorting the marks of a letter takes 64 times as long for eight times as many.
    @Test func marksAreFoldedAndOrderedInProportion() {
        let growth = ProcessorTime.growth(from: 10_000, to: 80_000) { count in
            let texts = ["a", "á", "ａ"].map { HostileText.marks($0, count) }
            for left in texts {
                for options in [TextOptions.caseInsensitive, .diacriticInsensitive, .loose.union(.widthInsensitive)] {
                    #expect(TextFolding.folded(left, options).utf8.count <= 3 * left.utf8.count)
                }
                for right in texts {
                    #expect((NameOrder.compare(left, right) == .orderedSame) == left.isSameText(as: right))
                    #expect(!LikePattern(left + "?", []).matches(right))
                    #expect(LikePattern("*" + right, []).matches(right))
                }
            }
        }
        #expect(growth < 24)
    }

    /// Compares with Swift's own regular expressions, whose matcher backtracks.
    @Test(arguments: [
        ("", "", true), ("a", "", false), ("a|b|", "", true), ("(a|b)c", "bc", true), ("a{2}", "aa", true),
        ("a{2}", "aaa", false), ("a{1,2}?", "aa", true), ("a{2,}", "aaaa", true), ("a{0,2}b", "aaab", false),
        ("(?:ab)+", "abab", true), ("(?<name>a)b", "ab", true), ("a.c", "a\nc", false), ("(?s)a.c", "a\nc", true),
        ("(?i)ABC", "abc", true), ("a(?i:B)C", "abC", true), ("a(?i:B)C", "abc", false), ("((?i)a)b", "AB", false),
        ("\\d+\\s\\w*", "12 a_1", true), ("\\D\\S\\W", "ab-", true), ("[\\d\\-x]+", "1-x", true),
        ("[^a-c]", "d", true), ("[^a-c]", "b", false), ("[a-]+", "a-", true), ("[a\\]]+", "a]", true),
        ("\\x41\\u0042\\u{43}", "ABC", true), ("\\p{Lu}\\P{Lu}", "Aa", true), ("[[:alpha:]]+", "abc", true),
        ("^a$", "a", true), ("\\Aa\\z", "a", true), ("a^b", "ab", false), ("\\ba\\b", "a", true),
        ("a\\bb", "ab", false), ("\\Qa+b\\E", "a+b", true), ("a\\.b", "a.b", true), ("a\\.b", "axb", false),
        ("(a*)*", "aaa", true), ("(a*)+", "", true), ("(|a)+", "aa", true), ("👨‍👩‍👧?.", "👨‍👩‍👧é", true),
        ("e\u{301}", "é", true), ("[é]", "e\u{301}", true), (".", "\u{1F1EB}\u{1F1F7}", true), (".", "\r\n", false),
    ])
    func anExpressionMatchesTheWhole(_ pattern: String, _ text: String, _ expected: Bool) throws {
        #expect(RegexPattern(pattern, [])?.matches(text) == expected)
        #expect((try Regex(pattern).wholeMatch(in: text) != nil) == expected)
    }

    /// Expressions that an engine of linear time cannot match, and malformed ones.
    @Test(arguments: [
        "(a)\\1", "(?=a)a", "(?!a)b", "(?<=a)b", "(?<!a)b", "(?>a)", "a++", "a**", "*a", "a{2,1}", "a{1001}", "[a&&b]",
        "(a{40}){40}", "(", "a)", "[", "[]", "[b-a]", "\\", "\\y", "\\p{Nothing}", "(?<1>a)", "(?z)a", "\\u{110000}",
    ])
    func whatNeedsMoreIsNotRead(_ pattern: String) { #expect(RegexPattern(pattern, []) == nil) }

    @Test func aHostilePatternTakesNoTime() {
        // An exponential matcher would not terminate in time.
        let pattern = String(repeating: "a*", count: 200) + "b"
        #expect(!LikePattern(pattern, []).matches(String(repeating: "a", count: 2000)))
    }

    @Test(arguments: [
        ("CRÈME", TextOptions.loose, "creme"), ("CRÈME", .caseInsensitive, "crème"),
        ("Crème", .diacriticInsensitive, "Creme"),
        ("ABC", .diacriticInsensitive, "ABC"), ("A\u{0}B", .loose, "a\u{0}b"), ("É", TextOptions(), "É"),
        ("STRASSE", .loose, "strasse"), ("ＡＢ１", .widthInsensitive, "AB1"), ("ＡＢ１", .loose, "ａｂ１"),
        ("ﾊﾟﾘ", TextOptions([.loose, .widthInsensitive]), "パリ"), ("Ａ\u{301}", .loose, "ａ"),
        ("か\u{3099}\u{301}", .diacriticInsensitive, "が"),
        ("Łø", .loose, "łø"), ("İı", .caseInsensitive, "i\u{307}ı"), ("straße", .loose, "strasse"),
        ("E\u{301}", .caseInsensitive, "\u{E9}"),
    ])
    func folds(_ text: String, _ options: TextOptions, _ expected: String) {
        #expect(Array(TextFolding.folded(text, options).utf8) == Array(expected.utf8))
    }

    @Test func aPatternIsReadOnceAndKeptApartByItsOptions() {
        let patterns = PatternCache()
        for _ in 0..<3 {
            #expect(patterns.isLike("ABC", "a*", .caseInsensitive) && !patterns.isLike("ABC", "a*", []))
            #expect(patterns.matches("ABC", "a.c", .caseInsensitive) && !patterns.matches("ABC", "a.c", []))
            #expect(!patterns.matches("(", "(", []))
        }
    }

    @Test func namesAreInTheOrderOfADictionary() {
        let names = ["Zoé", "eric", "Éa", "Ed", "Émile", "anna", "Eb", "Ångström", "zoe", "", "a b", "ab", "_", "1"]
        let sorted = names.sorted { NameOrder.compare($0, $1) == .orderedAscending }
        #expect(
            sorted == ["", "_", "1", "a b", "ab", "Ångström", "anna", "Éa", "Eb", "Ed", "Émile", "eric", "zoe", "Zoé"])
    }

    @Test func theOrderOfNamesIsTotal() {
        let names = Array(Set(RandomWorld.texts + ["\u{1}", "\u{1}a", "éa", "ea", "E", "É"])) + ["e\u{301}a"]
        let orders = names.map { first in names.map { NameOrder.compare(first, $0) } }
        for first in names.indices {
            for second in names.indices {
                #expect(orders[first][second].rawValue == -orders[second][first].rawValue)
                #expect(first == second || orders[first][second] != .orderedSame)
                guard orders[first][second] == .orderedAscending else { continue }
                // The order is transitive.
                let later = names.indices.filter { orders[second][$0] == .orderedAscending }
                #expect(later.allSatisfy { orders[first][$0] == .orderedAscending }, "\(names[first]) \(names[second])")
            }
        }
    }

    /// The table of Latin letters agrees with Foundation's root order.
    @Test(arguments: ["eéèêëēęEÉÈ a", "aAåÅbBcçÇčz-_' ", " !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~09azAZéÿŸİĹő"])
    func theTableOfLettersIsTheRootOrder(_ alphabet: String) {
        var random = SplitMix64(state: 3)
        let characters = Array(alphabet)
        let locale = Locale(identifier: "en")
        for _ in 0..<4000 {
            let (left, right) = (text(characters, &random), text(characters, &random))
            let order = left.compare(right, options: [], range: nil, locale: locale)
            #expect(NameOrder.compare(left, right) == order, "\(left) \(right)")
        }
    }

    private func text(_ characters: [Character], _ random: inout SplitMix64) -> String {
        String((0..<Int.random(in: 0...4, using: &random)).compactMap { _ in characters.randomElement(using: &random) })
    }

    @Test func sqlSortsNamesAlike() throws {
        let world = try PredicateWorld()
        for text in RandomWorld.texts { world.add("Person", ["name": .string(text)]) }
        try world.store()
        let ids = try world.list("SELECT id FROM person ORDER BY name COLLATE roost_locale")
        let texts = RandomWorld.texts.sorted { NameOrder.compare($0, $1) == .orderedAscending }
        let sorted = try ids.map { try world.records["Person"]?[$0]?.value("name") }
        #expect(sorted == texts.map { .string($0) })
    }
}
