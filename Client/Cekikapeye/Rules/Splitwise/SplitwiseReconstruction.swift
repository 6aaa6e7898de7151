/// Payers and shares that have exactly the effects of a row, which states net effects only.
struct SplitwiseReconstruction {
    /// The information that the row lacks.
    enum Loss { case nothing, unknownPayer, noEffect, severalPayers }

    private(set) var mode = SplitMode.net
    /// The amounts paid, in minor units, by position in the header.
    private(set) var payers: [Int: Int64] = [:]
    private(set) var shares: [Int: Int64] = [:]
    private(set) var loss = Loss.nothing

    /// Derives payers and shares from the effects.
    ///
    /// - One person is owed: that person paid the cost and consumed the part that the others do not owe.
    /// - Several people are owed: the amount that each paid is unknown, so only the effects are kept.
    /// - Nobody is owed: the payer is unknown and all effects are 0.
    init(cost: Money, effects: [Int64]) throws(SplitwiseRowFault) {
        // A refund is the reverse: the person who received the money has the negative effect.
        let sign: Int64 = cost.minorUnits < 0 ? -1 : 1
        let total = cost.minorUnits * sign
        let owed = effects.indices.filter { effects[$0] * sign > 0 }
        // The sum fits in 64 bits: the effects of a checked row are at most 10^12 each.
        let owedSum = owed.reduce(0) { $0 + effects[$1] * sign }
        guard owedSum <= total else { throw .costTooSmall(cost: cost.minorUnits, owed: owedSum, cost.currency) }
        guard owed.count == 1, let payer = owed.first else {
            let touched = owed.isEmpty ? Array(effects.indices) : effects.indices.filter { effects[$0] != 0 }
            shares = Dictionary(uniqueKeysWithValues: touched.map { ($0, effects[$0]) })
            loss = !owed.isEmpty ? .severalPayers : total == 0 ? .noEffect : .unknownPayer
            try checkCount()
            return
        }
        payers = [payer: cost.minorUnits]
        for (person, effect) in effects.enumerated() where person != payer && effect != 0 { shares[person] = -effect }
        let own = total - owedSum
        if own != 0 { shares[payer] = own * sign }
        // An even split is certain to give the cents of the file only if all parts are equal.
        let isEven = Set(shares.values).count == 1
        mode = isEven ? .even : .exact
        if isEven { shares = shares.mapValues { _ in 1 } }
        try checkCount()
    }

    private func checkCount() throws(SplitwiseRowFault) {
        guard shares.count <= Split.peopleMax else { throw .tooManyPeople(limit: Split.peopleMax) }
    }
}
