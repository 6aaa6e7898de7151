/// What to list and how.
package struct SpendingQuery: Hashable, Sendable {
    /// What makes a section.
    package enum Grouping: String, CaseIterable, Hashable, Sendable {
        /// The person a spending is listed under.
        case person
        /// Its day.
        case date
    }

    /// The order within a section.
    package enum Order: String, CaseIterable, Hashable, Sendable {
        /// The largest first.
        case amount
        /// The newest first.
        case date
    }

    /// What makes a section.
    package var grouping = Grouping.person
    /// The order within a section.
    package var order = Order.amount
    /// Only those with this text in title, category or note, ignoring case and accents.
    package var search: String?
    /// Only those that concern this person, who paid or for whom.
    package var person: String?

    /// Lists everything in sections per person, the largest first.
    package init() {}
}
