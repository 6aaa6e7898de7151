/// What a damaged file did to changes that wait, found when it was opened or when they were sealed.
package struct OutboxDamage: Hashable, Sendable {
    /// Changes that are not sent: of transactions that hold one whose content is gone. The journal has them.
    package var refused = 0
    /// What was found and done, in plain words.
    package var notices: [String] = []

    /// Whether the file keeps the notices until they are told.
    var isStored = false

    package init() {}

    /// This after what was found earlier.
    func joined(to earlier: OutboxDamage?) -> OutboxDamage {
        guard var sum = earlier else { return self }
        sum.refused += refused
        sum.notices += notices
        return sum
    }
}
