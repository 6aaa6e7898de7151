import Foundation
import Predicates
import RoostModel
import Testing

/// Comparisons of texts agree with ``NaiveText``, in SQL and in memory.
@Suite struct TextAgreementTests {
    private static let choices: [TextOptions] = [
        [], .caseInsensitive, .diacriticInsensitive, .widthInsensitive, .loose, [.loose, .widthInsensitive],
    ]
    private static let operations: [PredicateComparison.Operator] = [
        .equal, .notEqual, .less, .greaterOrEqual, .beginsWith, .endsWith, .contains, .isIn, .like, .like, .like,
    ]

    @Test func randomTextsAgree() throws {
        let world = try PredicateWorld()
        var texts = TrickyTexts(random: SplitMix64(state: 1111))
        var names: [RecordID: (name: String, nickname: String)] = [:]
        for _ in 0..<250 {
            let name = texts.text(0...4)
            let nickname = texts.chance(50) ? texts.part(of: name) : texts.pattern(of: name)
            names[world.add("Person", ["name": .string(name), "nickname": .string(nickname)])] = (name, nickname)
        }
        try world.store()
        let ids = names.keys.sorted()
        var selected = 0
        for round in 0..<800 {
            let options = texts.pick(Self.choices)
            let operation = texts.pick(Self.operations)
            let text = names[texts.pick(ids)]?.name ?? ""
            let part = operation == .like ? texts.pattern(of: text) : texts.part(of: text)
            let isPath = round.isMultiple(of: 4)
            let others = operation == .isIn ? [part, texts.part(of: names[texts.pick(ids)]?.name ?? "")] : []
            let list = PredicateTerm.list(of: others.map { .constant(.string($0)) })
            let right = isPath ? PredicateTerm.path(.init(["nickname"])) : .constant(.string(part))
            let comparison = PredicateComparison(
                .path(.init(["name"])), operation, operation == .isIn ? list : right, options: options)
            let wanted = Set(
                ids.filter { id in
                    guard let (name, nickname) = names[id] else { return false }
                    if operation == .isIn { return others.contains { NaiveText.holds(name, .equal, $0, options) } }
                    return NaiveText.holds(name, operation, isPath ? nickname : part, options)
                })
            let selection = try world.select(FetchPredicate(.comparison(comparison)), "Person")
            for id in wanted.symmetricDifference(selection.direct).union(wanted.symmetricDifference(selection.sql)) {
                let name = names[id]?.name.debugDescription ?? ""
                let other = (isPath ? names[id]?.nickname ?? "" : part).debugDescription
                Issue.record(
                    "\(name) \(operation.rawValue)\(options.rawValue) \(other): \(wanted.contains(id)), in memory \(selection.direct.contains(id)), in SQL \(selection.sql.contains(id))"
                )
            }
            selected += wanted.count
        }
        #expect(selected > 20_000)
    }

    @Test func whatIsAlikeStaysSoWithMoreOptions() {
        var texts = TrickyTexts(random: SplitMix64(state: 1212))
        var alike = 0
        for _ in 0..<40_000 {
            let first = texts.text(1...3)
            let second = texts.part(of: first)
            for options in Self.choices where NaiveText.holds(first, .equal, second, options) {
                alike += 1
                for more in Self.choices where more.isSuperset(of: options) {
                    #expect(
                        TextFolding.folded(first, more).utf8.elementsEqual(TextFolding.folded(second, more).utf8),
                        "\(first.debugDescription) \(second.debugDescription) \(options.rawValue) \(more.rawValue)")
                }
            }
        }
        #expect(alike > 10_000)
    }

    @Test func foldingTwiceIsFoldingOnce() {
        var texts = TrickyTexts(random: SplitMix64(state: 1313))
        for _ in 0..<20_000 {
            let text = texts.text(0...4)
            for options in Self.choices {
                let once = TextFolding.folded(text, options)
                #expect(TextFolding.folded(once, options).utf8.elementsEqual(once.utf8), "\(text.debugDescription)")
            }
        }
    }
}
