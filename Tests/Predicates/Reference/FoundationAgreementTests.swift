import Foundation
import Predicates
import RoostModel
import Testing

/// A `#Predicate` selects what Foundation's own evaluation selects.
@Suite struct FoundationAgreementTests {
    /// The constants of the predicates, chosen again for each round.
    struct Constants {
        var name: String
        var part: String
        var names: [String]
        var age: Int
        var ages: Range<Int>
        var weight: Double
        var weights: ClosedRange<Double>
        var seen: Date
        var nickname: String?
    }

    @Test func randomValuesAgree() throws {
        let world = try PredicateWorld()
        var random = TrickyTexts(random: SplitMix64(state: 31))
        let members = try Member.group(of: 120, in: world, &random)
        var cases = 0
        var selected = 0
        for _ in 0..<25 {
            for (index, predicate) in Self.predicates(constants(&random)).enumerated() {
                let wanted = Set(try members.filter { try predicate.evaluate($0) }.map(\.id))
                let translated = try FetchPredicate(predicate, names: Member.names)
                let selection = try world.select(translated, "Person")
                #expect(selection.sql == wanted, "\(index): \(translated)")
                #expect(selection.direct == wanted, "\(index): \(translated)")
                cases += members.count
                selected += wanted.count
            }
        }
        #expect(cases >= 100_000)
        #expect((cases / 5...cases * 4 / 5).contains(selected), "\(selected) of \(cases)")
    }

    /// Swift compares texts by canonical equivalence of characters, predicates compare Unicode scalars.
    @Test func textsDifferOnlyInHowTheyAreWritten() throws {
        let world = try PredicateWorld()
        let member = Member(world.add("Person", ["name": .string("cre\u{300}me")]))
        member.name = "cre\u{300}me"
        try world.store()
        func expect(_ predicate: Predicate<Member>, foundation: Bool, here: Bool) throws {
            #expect(try predicate.evaluate(member) == foundation)
            #expect(try world.select(FetchPredicate(predicate, names: Member.names), "Person").sql.isEmpty != here)
        }
        try expect(#Predicate { $0.name == "cr\u{E8}me" }, foundation: true, here: false)
        try expect(#Predicate { $0.name.contains("e\u{300}") }, foundation: true, here: true)
        try expect(#Predicate { $0.name.starts(with: "cre") }, foundation: false, here: true)
    }

    private func constants(_ random: inout TrickyTexts) -> Constants {
        let (low, high) = (Int.random(in: -3...3, using: &random.random), Int.random(in: 3...8, using: &random.random))
        return Constants(
            name: random.pick(Member.texts), part: random.pick(["a", "é", "", "%", "ß", "b", "ab"]),
            names: (0..<3).map { _ in random.pick(Member.texts) }, age: low, ages: low..<high,
            weight: random.pick(Member.weights), weights: -1...random.pick([0, 0.5, 2]),
            seen: Date(timeIntervalSince1970: Double(low)),
            nickname: random.chance(30) ? nil : random.pick(Member.texts))
    }
}

/// An application's class for the entity Person.
final class Member: Equatable {
    let id: RecordID
    var name = ""
    var nickname: String?
    var age = 0
    var weight = 0.0
    var active = true
    var seen: Date?
    var boss: Member?
    var friends: [Member] = []

    /// Texts with one scalar for each character, which Swift and predicates compare alike.
    static let texts = ["", "a", "b", "ab", "ba", "A", "é", "éa", "e", "ß", "ss", "%", "a%b", "_", "😀", "Ａ", "a\u{0}b"]
    static let weights = [0, -0.0, 0.5, -1, 1.5, 2, 1e300, .infinity]

    static var names: [AnyKeyPath: String] {
        [
            \Member.name: "name", \Member.nickname: "nickname", \Member.age: "age", \Member.weight: "weight",
            \Member.active: "active", \Member.seen: "seen", \Member.boss: "boss", \Member.friends: "friends",
        ]
    }

    init(_ id: RecordID) { self.id = id }

    static func == (left: Member, right: Member) -> Bool { left === right }

    /// Members with random values, and their records.
    static func group(of count: Int, in world: PredicateWorld, _ random: inout TrickyTexts) throws -> [Member] {
        var members: [Member] = []
        for _ in 0..<count {
            let boss = random.chance(70) ? members.randomElement(using: &random.random) : nil
            let name = random.pick(texts)
            let nickname = random.chance(30) ? nil : random.pick(texts)
            let age = Int.random(in: -4...8, using: &random.random)
            let weight = random.pick(weights)
            let active = random.chance(50)
            let seen = random.chance(30) ? nil : Int64.random(in: -4...4, using: &random.random) * 1000
            var values: [String: Value] = [
                "name": .string(name), "age": .integer(Int64(age)), "weight": .double(weight),
                "active": .boolean(active),
            ]
            values["nickname"] = nickname.map { .string($0) }
            values["seen"] = seen.map { .integer($0) }
            values["boss"] = boss.map { .data($0.id.bytes) }
            let member = Member(world.add("Person", values))
            (member.name, member.nickname, member.age, member.weight) = (name, nickname, age, weight)
            (member.active, member.boss) = (active, boss)
            member.seen = seen.map { Date(timeIntervalSince1970: Double($0) / 1000) }
            members.append(member)
        }
        for member in members {
            for friend in Set((0..<3).map { _ in random.pick(Array(members.indices)) }) where random.chance(50) {
                member.friends.append(members[friend])
                world.link("Person", "friends", member.id, members[friend].id)
            }
        }
        try world.store()
        return members
    }
}
