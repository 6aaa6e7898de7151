extension Split {
    /// The maximum number of shares of one person.
    static let sharesMax: Int64 = 1_000_000_000
    /// The sum of all percents, in hundredths.
    static let percentSum: Int64 = 10_000

    func validate() throws(SplitError) {
        let count = shares.count + rest.count
        guard (1...Self.peopleMax).contains(count), payers.count <= Self.peopleMax else {
            throw .participantCount(max(count, payers.count), limit: Self.peopleMax)
        }
        if let person = rest.sorted().first(where: { shares[$0] != nil }) { throw .personTwice(person) }
        guard rest.isEmpty || mode == .exact else { throw .notInMode(key: "rest", mode) }
        guard payers.isEmpty || mode != .net else { throw .notInMode(key: "payers", mode) }
        try check(payers, key: "payers", Self.amounts)
        try check(shares, key: "shares", numbersAllowed)
        // At most 1000 numbers of at most 10^12 each: the sum fits.
        let sum = shares.values.reduce(0, +)
        switch mode {
        case .percent where sum != Self.percentSum: throw .wrongSum(mode, got: sum, expected: Self.percentSum)
        case .net where sum != 0: throw .wrongSum(mode, got: sum, expected: 0)
        case .shares where sum == 0: throw .wrongSum(mode, got: 0, expected: 1)
        default: break
        }
    }

    private static let amounts = -Money.entryLimit...Money.entryLimit

    private var numbersAllowed: ClosedRange<Int64> {
        switch mode {
        case .even: 1...1
        case .shares: 0...Self.sharesMax
        case .percent: 0...Self.percentSum
        case .exact, .net: Self.amounts
        }
    }

    private func check(
        _ numbers: [PersonID: Int64], key: String, _ range: ClosedRange<Int64>
    ) throws(SplitError) {
        for (person, number) in numbers.sorted(by: { $0.key < $1.key }) where !range.contains(number) {
            throw .numberOutOfRange(
                key: key, person, got: number, allowed: "\(range.lowerBound) to \(range.upperBound)")
        }
    }
}
