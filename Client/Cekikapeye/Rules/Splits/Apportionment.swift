/// Divides an amount so that the parts add up to it exactly.
///
/// Each part is rounded down, also for negative amounts, so that 0 to n-1 units are left over. The units left over
/// go to the largest remainders, one each. Equal remainders are served in the order of the identifiers, starting
/// at position FNV-1a 64 (expense) mod n. This depends on stable values only, and is fair over many expenses.
enum Apportionment {
    /// Divides `total` in proportion to `weights`. No weight is negative, and at least one is above 0.
    static func spread(_ total: Int64, over weights: [PersonID: Int64], seed: ExpenseID) -> [PersonID: Int64] {
        let people = weights.keys.sorted()
        let sum = Int128(weights.values.reduce(0, +))
        precondition(sum > 0, "weights are validated before they are used")
        let start = Int(fnv1a64(seed.text) % UInt64(people.count))

        var parts: [PersonID: Int64] = [:]
        var claims: [(remainder: Int128, turn: Int, person: PersonID)] = []
        var left = total
        for (position, person) in people.enumerated() {
            // The product of two 64-bit integers needs 128 bits.
            let product = Int128(total) * Int128(weights[person] ?? 0)
            let (quotient, remainder) = flooredDivision(product, by: sum)
            // A part is not larger than the total, so it fits in an Int64.
            let part = Int64(quotient)
            parts[person] = part
            left -= part
            claims.append((remainder, (position - start + people.count) % people.count, person))
        }
        claims.sort { ($1.remainder, $0.turn) < ($0.remainder, $1.turn) }
        for claim in claims.prefix(Int(left)) { parts[claim.person, default: 0] += 1 }
        return parts
    }

    private static func flooredDivision(_ value: Int128, by divisor: Int128) -> (quotient: Int128, remainder: Int128) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    /// Computes the Fowler-Noll-Vo hash, variant 1a, 64 bits, of the UTF-8 bytes.
    static func fnv1a64(_ text: String) -> UInt64 {
        text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
    }
}
