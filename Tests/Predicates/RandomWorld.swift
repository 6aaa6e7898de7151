import Predicates
import RoostModel

/// Fills a world with about five hundred records of every kind of value, from a seed.
struct RandomWorld {
    static let texts = [
        "", "a", "A", "e", "é", "e\u{301}", "crème", "Crème", "cre\u{300}me", "CREME BRÛLÉE", "creme", "100%", "a_b",
        "axb", "x\u{0}y", "x\u{0}", "x", "Éric", "eric", "Zoé", "zoe", "jean-pierre", "Jean-Pierre", "œuf", "straße",
        "STRASSE", "😀", "😀!", "*", "?", "a\\b", "a\nb", "\r\n", "İstanbul", "ﬁn", "\u{10FFFF}", "\u{D7FF}z", "Łódź",
    ]
    static let integers: [Int64] = [
        0, 1, -1, 2, 3, 7, 10, 12, 100, 10_000, -250, .max, .min, .max - 1, 9_007_199_254_740_993,
        9_007_199_254_740_992, 4_611_686_018_427_387_904,
    ]
    static let doubles: [Double] = [
        0, -0.0, 0.5, 1, 1.5, -2.25, 3, 7, 1e300, -1e300, 1e-300, 9_007_199_254_740_992, 9_223_372_036_854_775_808,
        -9_223_372_036_854_775_808, 0.1, 0.2, 0.3, 1e16,
    ]
    static let days = [
        "0001-01-01", "1970-01-01", "2024-02-29", "2026-07-14", "2026-07-15", "2026-12-31", "9999-12-31",
    ]
    static let instants: [Int64] = [
        0, -1, 1, 1_784_020_200_000, 1_784_020_200_001, 253_402_300_799_999, -62_135_596_800_000,
    ]
    static let bytes: [[UInt8]] = [[], [0], [0, 1], [255], [255, 0], Array(repeating: 7, count: 16)]
    static let json = ["null", "{}", "[1,2]", "\"crème\"", "{\"a\":\"x\"}", "1"]

    var random: SplitMix64

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    mutating func pick<Item>(_ items: [Item]) -> Item { items[Int.random(in: 0..<items.count, using: &random)] }

    mutating func fill(_ world: PredicateWorld) throws {
        let bosses = (0..<30).map { _ in world.add("Person", person()) }
        let people =
            bosses + (0..<130).map { _ in world.add("Person", person(boss: pick(bosses), mentor: pick(bosses))) }
        let roots = (0..<20).map { _ in world.add("Tag", tag()) }
        let tags = roots + (0..<60).map { _ in world.add("Tag", tag(parent: pick(roots))) }
        // Some people have no passport, others several, as offline devices can cause.
        let passports = (0..<120).map { _ in world.add("Passport", passport(people)) }
        let spendings = (0..<300).map { _ in world.add("Spending", spending(people, passports)) }
        for spending in spendings where chance(60) {
            for tag in Set((0..<Int.random(in: 1...4, using: &random)).map { _ in pick(tags) }) {
                world.link("Spending", "tags", spending, tag)
            }
        }
        for person in people where chance(30) {
            for friend in Set((0..<3).map { _ in pick(people) }) { world.link("Person", "friends", person, friend) }
        }
        try world.store()
        try world.delete("Person", Array(people.suffix(10) + people.prefix(3)))
        try world.delete("Passport", Array(passports.suffix(5)))
    }

    private mutating func optional(_ value: Value) -> Value { chance(25) ? .null : value }

    private mutating func person(boss: RecordID? = nil, mentor: RecordID? = nil) -> [String: Value] {
        var values: [String: Value] = [
            "name": .string(pick(Self.texts)), "nickname": optional(.string(pick(Self.texts))),
            "age": optional(.integer(pick(Self.integers))), "weight": optional(.double(pick(Self.doubles))),
            "active": .boolean(chance(50)), "born": optional(.string(pick(Self.days))),
            "seen": optional(.integer(pick(Self.instants))),
            "token": optional(.data(Array(repeating: UInt8(Int.random(in: 1...5, using: &random)), count: 16))),
            "image": optional(.data(pick(Self.bytes))), "info": optional(.string(pick(Self.json))),
        ]
        if let boss { values["boss"] = optional(.data(boss.bytes)) }
        if let mentor, chance(40) { values["mentor"] = .data(mentor.bytes) }
        return values
    }

    private mutating func tag(parent: RecordID? = nil) -> [String: Value] {
        var values: [String: Value] = [
            "name": .string(pick(Self.texts)), "weight": optional(.integer(Int64.random(in: -3...3, using: &random))),
        ]
        if let parent { values["parent"] = optional(.data(parent.bytes)) }
        return values
    }

    private mutating func passport(_ people: [RecordID]) -> [String: Value] {
        [
            "number": .string(pick(Self.texts)), "pages": optional(.integer(Int64.random(in: 0...40, using: &random))),
            "holder": optional(.data(pick(people).bytes)),
        ]
    }

    private mutating func spending(_ people: [RecordID], _ passports: [RecordID]) -> [String: Value] {
        [
            "amount": .integer(chance(80) ? Int64.random(in: -20...300, using: &random) : pick(Self.integers)),
            "rate": optional(.double(pick(Self.doubles))), "note": optional(.string(pick(Self.texts))),
            "day": optional(.string(pick(Self.days))), "at": optional(.integer(pick(Self.instants))),
            "paid": .boolean(chance(50)), "person": optional(.data(pick(people).bytes)),
            "approver": optional(.data(pick(people).bytes)), "passport": optional(.data(pick(passports).bytes)),
        ]
    }
}
