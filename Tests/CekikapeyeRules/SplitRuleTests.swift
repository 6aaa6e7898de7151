import CekikapeyeRules
import RoostModel
import Testing

struct SplitRuleTests {
    @Test func numbersTheModeDoesNotAllowAreRefused() throws {
        let people = try Samples.people(2)
        let (ana, bob) = (people[0], people[1])
        #expect(throws: SplitError.numberOutOfRange(key: "shares", ana, got: 2, allowed: "1 to 1")) {
            try Split(mode: .even, payers: [:], shares: [ana: 2])
        }
        #expect(throws: SplitError.numberOutOfRange(key: "shares", ana, got: -1, allowed: "0 to 1000000000")) {
            try Split(mode: .shares, payers: [:], shares: [ana: -1, bob: 3])
        }
        #expect(throws: SplitError.wrongSum(.shares, got: 0, expected: 1)) {
            try Split(mode: .shares, payers: [:], shares: [ana: 0])
        }
        #expect(throws: SplitError.wrongSum(.percent, got: 9999, expected: 10_000)) {
            try Split(mode: .percent, payers: [:], shares: [ana: 5000, bob: 4999])
        }
        #expect(throws: SplitError.wrongSum(.net, got: 1, expected: 0)) {
            try Split(mode: .net, payers: [:], shares: [ana: 5, bob: -4])
        }
        #expect(throws: SplitError.notInMode(key: "payers", .net)) {
            try Split(mode: .net, payers: [ana: 1], shares: [ana: 0])
        }
        #expect(throws: SplitError.notInMode(key: "rest", .even)) {
            try Split(mode: .even, payers: [:], shares: [ana: 1], rest: [bob])
        }
        #expect(throws: SplitError.personTwice(ana)) { try Split.even(payers: [:], participants: [ana, bob, ana]) }
        #expect(throws: SplitError.personTwice(ana)) {
            try Split(mode: .exact, payers: [:], shares: [ana: 1], rest: [ana])
        }
    }

    @Test func numbersThatDoNotFitTheTotalAreRefused() throws {
        let people = try Samples.people(2)
        let seed = try Samples.expense(1)
        let exact = try Split(mode: .exact, payers: [people[0]: 10], shares: [people[0]: 4, people[1]: 5])
        #expect(throws: SplitError.wrongSum(.exact, got: 9, expected: 10)) { try exact.consumed(of: 10, seed: seed) }
        #expect(throws: SplitError.payersSum(got: 10, expected: 11)) { try exact.paid(of: 11, seed: seed) }
        let rest = try Split(mode: .exact, payers: [people[0]: 10], shares: [people[0]: 11], rest: [people[1]])
        #expect(throws: SplitError.exceedsTotal(.exact, got: 11, total: 10)) { try rest.consumed(of: 10, seed: seed) }
        let net = try Split(mode: .net, payers: [:], shares: [people[0]: 11, people[1]: -11])
        #expect(throws: SplitError.exceedsTotal(.net, got: 11, total: 10)) { try net.consumed(of: 10, seed: seed) }
    }

    @Test func everySplitAddsUpToItsTotal() throws {
        var random = SplitMix64(state: 1)
        for round in 0..<2000 {
            let people = try Samples.people(.random(in: 1...9, using: &random))
            let total = Int64.random(in: -Money.entryLimit...Money.entryLimit, using: &random) >> (round % 40)
            let split = try Self.split(total, people, mode: SplitMode.allCases[round % 5], &random)
            let seed = try Samples.expense(round)
            let consumed = try split.consumed(of: total, seed: seed)
            #expect(consumed.values.reduce(0, +) == total, "round \(round)")
            #expect(try split.paid(of: total, seed: seed).values.reduce(0, +) == total, "round \(round)")
            #expect(Set(consumed.keys) == Set(split.participants), "round \(round)")
        }
    }

    @Test func evenPartsDifferByOneUnitAtMost() throws {
        var random = SplitMix64(state: 2)
        for round in 0..<500 {
            let people = try Samples.people(.random(in: 1...12, using: &random))
            let total = Int64.random(in: -100_000...100_000, using: &random)
            let split = try Split.even(payers: [people[0]: total], participants: people)
            let parts = try split.consumed(of: total, seed: Samples.expense(round)).values
            #expect((parts.max() ?? 0) - (parts.min() ?? 0) <= 1, "round \(round)")
        }
    }

    @Test func oddCentGoesAround() throws {
        let people = try Samples.people(3)
        let split = try Split.even(payers: [people[0]: 1000], participants: people)
        var extra: [PersonID: Int] = [:]
        for number in 0..<300 {
            for (person, part) in try split.consumed(of: 1000, seed: Samples.expense(number)) where part == 334 {
                extra[person, default: 0] += 1
            }
        }
        #expect(extra.values.reduce(0, +) == 300)
        #expect(people.allSatisfy { (60...140).contains(extra[$0, default: 0]) })
    }

    /// A split of the mode with random numbers that fit the total.
    private static func split(
        _ total: Int64, _ people: [PersonID], mode: SplitMode, _ random: inout SplitMix64
    ) throws -> Split {
        let payers = [people[0]: total]
        switch mode {
        case .even: return try .even(payers: payers, participants: people)
        case .shares:
            var shares: [PersonID: Int64] = [people[0]: 1]
            for person in people.dropFirst() { shares[person] = .random(in: 0...1_000_000_000, using: &random) }
            return try Split(mode: mode, payers: payers, shares: shares)
        case .percent:
            let part = Int64.random(in: 0...10_000, using: &random)
            guard people.count > 1 else { return try Split(mode: mode, payers: payers, shares: [people[0]: 10_000]) }
            return try Split(mode: mode, payers: payers, shares: [people[0]: part, people[1]: 10_000 - part])
        case .exact:
            guard people.count > 1 else { return try Split(mode: mode, payers: payers, shares: payers) }
            return try Split(mode: mode, payers: payers, shares: [people[0]: total / 3], rest: Set(people.dropFirst()))
        case .net:
            guard people.count > 1 else { return try Split(mode: mode, payers: [:], shares: [people[0]: 0]) }
            return try Split(mode: mode, payers: [:], shares: [people[0]: total / 2, people[1]: -(total / 2)])
        }
    }
}
