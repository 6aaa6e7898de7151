extension Split {
    /// Computes the amount that each person consumed, in minor units. The amounts add up to `total` exactly, whatever
    /// the mode and the sign.
    ///
    /// The result depends on the split, the total and the identifiers only, so that every device distributes odd
    /// cents identically.
    ///
    /// - Parameters:
    ///   - total: The amount of the expense in minor units.
    ///   - seed: The identifier of the expense. It decides who gets an odd cent, so that it is not always the same person.
    /// - Throws: ``SplitError`` if the numbers do not fit the total.
    package func consumed(of total: Int64, seed: ExpenseID) throws(SplitError) -> [PersonID: Int64] {
        switch mode {
        case .even, .shares, .percent:
            return Apportionment.spread(total, over: shares, seed: seed)
        case .exact:
            return try exactAmounts(of: total, seed: seed)
        case .net:
            return try netConsumption(of: total, seed: seed)
        }
    }

    /// Computes the amount that each person paid, in minor units. The amounts add up to `total`.
    ///
    /// In mode ``SplitMode/net`` the payers are unknown, and the result is the net effect plus the amount that the
    /// person consumed.
    ///
    /// - Throws: ``SplitError/payersSum(got:expected:)``; in mode net the errors of ``consumed(of:seed:)``.
    package func paid(of total: Int64, seed: ExpenseID) throws(SplitError) -> [PersonID: Int64] {
        guard mode == .net else {
            let sum = payers.values.reduce(0, +)
            guard sum == total else { throw .payersSum(got: sum, expected: total) }
            return payers
        }
        let consumed = try netConsumption(of: total, seed: seed)
        return shares.reduce(into: consumed) { $0[$1.key, default: 0] += $1.value }.filter { $0.value != 0 }
    }

    private func exactAmounts(of total: Int64, seed: ExpenseID) throws(SplitError) -> [PersonID: Int64] {
        let sum = shares.values.reduce(0, +)
        guard !rest.isEmpty else {
            guard sum == total else { throw .wrongSum(mode, got: sum, expected: total) }
            return shares
        }
        let left = total - sum
        // The remainder must have the sign of the total. Otherwise the people who share the rest would be paid for taking part.
        guard left == 0 || left.signum() == total.signum() else { throw .exceedsTotal(mode, got: sum, total: total) }
        let weights = Dictionary(uniqueKeysWithValues: rest.map { ($0, Int64(1)) })
        return shares.merging(Apportionment.spread(left, over: weights, seed: seed)) { exact, _ in exact }
    }

    /// Computes consumption in mode net. People who owe consumed the amount that they owe; people who are owed
    /// consumed the remainder, evenly.
    ///
    /// If nobody is affected, all share the total evenly.
    private func netConsumption(of total: Int64, seed: ExpenseID) throws(SplitError) -> [PersonID: Int64] {
        let sign: Int64 = total < 0 ? -1 : 1
        let owed = shares.filter { $0.value * sign > 0 }
        let left = total - owed.values.reduce(0, +)
        guard left == 0 || left.signum() == sign else {
            throw .exceedsTotal(mode, got: total - left, total: total)
        }
        let keepers = owed.isEmpty ? shares : owed
        let kept = Apportionment.spread(left, over: keepers.mapValues { _ in 1 }, seed: seed)
        return shares.mapValues { -$0 }.merging(kept) { _, own in own }
    }
}
