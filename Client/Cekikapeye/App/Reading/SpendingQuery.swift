/// The selection and order of listed spendings.
package struct SpendingQuery: Hashable, Sendable {
    /// The property by which spendings are grouped into sections.
    package enum Grouping: String, CaseIterable, Hashable, Sendable {
        /// The person under whom a spending is listed.
        case person
        /// The day of the spending.
        case date
    }

    /// The order within a section.
    package enum Order: String, CaseIterable, Hashable, Sendable {
        /// The largest first.
        case amount
        /// The newest first.
        case date
    }

    /// The property by which spendings are grouped into sections.
    package var grouping = Grouping.person
    /// The order within a section.
    package var order = Order.amount
    /// The text that title, category or note must contain, ignoring case and accents.
    package var search: String?
    /// The name of the person who must have paid or taken part.
    package var person: String?

    /// Makes a query for all spendings in sections per person, the largest first.
    package init() {}
}
