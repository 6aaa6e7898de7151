extension Split {
    /// What each person consumed, in minor units; adds up to `total` exactly, whatever the mode and the sign.
    ///
    /// Depends on the split, the total and the identifiers alone, so that every device deals the odd cents alike.
    ///
    /// - Parameters:
    ///   - total: The amount of the expense in minor units.
    ///   - seed: The expense; it decides who gets an odd cent, so that it is not always the same person.
    /// - Throws: ``SplitError`` when the numbers do not fit the total.
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

    /// What each person paid, in minor units; adds up to `total`.
    ///
    /// In mode ``SplitMode/net`` nobody knows, and the answer is the net effect plus what the person consumed.
    ///
    /// - Throws: ``SplitError/payersSum(got:expected:)``, or as ``consumed(of:seed:)`` in mode net.
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
        // What is left must go the way of the total, or those who share the rest would be paid for coming.
        guard left == 0 || left.signum() == total.signum() else { throw .exceedsTotal(mode, got: sum, total: total) }
        let weights = Dictionary(uniqueKeysWithValues: rest.map { ($0, Int64(1)) })
        return shares.merging(Apportionment.spread(left, over: weights, seed: seed)) { exact, _ in exact }
    }

    /// Those who owe consumed what they owe; those who are owed consumed what remains, evenly.
    ///
    /// With no effect on anybody, all share the total evenly.
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
