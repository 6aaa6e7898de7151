/// Minimum counts of each kind of operation by foreign programs: a run without them proves nothing.
enum ForeignFloors {
    /// Operations per hundred seeds that draw from all kinds.
    private static let perHundred = 4

    /// - Parameter kinds: The kinds that every seed drew from; empty in ordinary seeds, a share of which draws from all
    ///   kinds.
    static func missed(_ counts: Counts, _ kinds: [ForeignKind]) -> [String] {
        let seeds = counts[.foreignSeeds]
        guard seeds >= 50 else { return [] }
        let drawn = kinds.isEmpty ? ForeignKind.allCases : kinds
        return drawn.compactMap { kind in
            let found = counts.foreign.filter { $0.key.hasPrefix("\(kind).") && $0.key != "\(kind).failed" }
                .reduce(0) { $0 + $1.value }
            let floor = max(1, seeds * perHundred * 10 / 100 / drawn.count)
            return found < floor ? "foreign \(kind): \(found), at least \(floor) are asked for" : nil
        }
    }
}
