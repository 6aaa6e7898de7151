/// The loss of pending changes through corruption, found when the file was opened or when the changes were sealed.
package struct OutboxDamage: Hashable, Sendable {
    /// The number of changes that are not sent, because a change of their transaction has lost its content. The journal has them.
    package var refused = 0
    /// The sentences about what was found and done.
    package var notices: [String] = []

    /// Whether the file stores the notices until they are reported.
    var isStored = false

    package init() {}

    /// Returns the sum of this value and earlier findings, with the earlier notices first.
    func joined(to earlier: OutboxDamage?) -> OutboxDamage {
        guard var sum = earlier else { return self }
        sum.refused += refused
        sum.notices += notices
        return sum
    }
}
