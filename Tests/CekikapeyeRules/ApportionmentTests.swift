import Testing

@testable import CekikapeyeRules

struct ApportionmentTests {
    @Test(arguments: [("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8)])
    func hashHasThePublishedValues(text: String, hash: UInt64) {
        #expect(Apportionment.fnv1a64(text) == hash)
    }

    @Test(arguments: [Int64.max, .min, .max - 1, .min + 1, 0, 1, -1])
    func extremeTotalsAddUp(total: Int64) throws {
        let people = try Samples.people(3)
        let parts = Apportionment.spread(
            total, over: [people[0]: .max / 4, people[1]: 1, people[2]: .max / 3], seed: try Samples.expense(1))
        #expect(parts.values.reduce(0, +) == total)
    }

    @Test func nobodyWithoutShareGetsTheOddCent() throws {
        let people = try Samples.people(3)
        for number in 0..<50 {
            let parts = Apportionment.spread(
                11, over: [people[0]: 0, people[1]: 1, people[2]: 1], seed: try Samples.expense(number))
            #expect(parts[people[0]] == 0)
        }
    }
}
