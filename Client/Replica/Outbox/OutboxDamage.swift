/// What a damaged file did to changes that wait, found when they were sealed.
package struct OutboxDamage: Hashable, Sendable {
    /// Changes that are not sent: of transactions that hold one whose content is gone. The journal has them.
    package var refused = 0
    /// What was found and done, in plain words.
    package var notices: [String] = []

    package init() {}
}
