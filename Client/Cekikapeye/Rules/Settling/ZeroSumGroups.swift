/// Finds the largest number of groups of people that can settle among themselves.
///
/// A group of k people needs k-1 payments, so more groups mean fewer payments. Finding the maximum is hard in
/// general; trying all subsets takes 2^n steps.
enum ZeroSumGroups {
    /// Divides balances that add up to 0 into as many groups as possible, each of which adds up to 0.
    ///
    /// - Parameter balances: At most ``SettlementPlan/exactPeopleMax``, ordered by identifier.
    static func find(in balances: [OpenBalance]) -> [[OpenBalance]] {
        let full = (1 << balances.count) - 1
        // sums[set] is the total balance of the people in the set. most[set] is the largest number of sets adding up to
        // 0 on any path from the set to the empty one that removes one person at a time.
        var sums = [Int128](repeating: 0, count: full + 1)
        var most = [UInt8](repeating: 0, count: full + 1)
        for set in stride(from: 1, through: full, by: 1) {
            let lowest = set.trailingZeroBitCount
            sums[set] = sums[set & (set - 1)] + Int128(balances[lowest].amount)
            var best: UInt8 = 0
            for index in balances.indices where set & (1 << index) != 0 { best = max(best, most[set ^ (1 << index)]) }
            most[set] = best + (sums[set] == 0 ? 1 : 0)
        }

        var groups: [[OpenBalance]] = []
        var group: [OpenBalance] = []
        var set = full
        while set != 0 {
            let next = most[set] - (sums[set] == 0 ? 1 : 0)
            // The lowest index that keeps the count is chosen, so that every device makes the same choice.
            guard let index = balances.indices.first(where: { set & (1 << $0) != 0 && most[set ^ (1 << $0)] == next })
            else { break }
            group.append(balances[index])
            set ^= 1 << index
            if sums[set] == 0 {
                groups.append(group.sorted { $0.person < $1.person })
                group = []
            }
        }
        return groups
    }
}
