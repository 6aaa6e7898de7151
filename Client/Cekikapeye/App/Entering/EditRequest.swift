/// What to change about a spending, as typed; what is `nil` stays.
package struct EditRequest: Sendable {
    /// The amount.
    package var amount: String?
    /// What it was for.
    package var title: String?
    /// Who paid and for whom; what it does not say stays.
    package var split = SplitRequest()
    /// The day.
    package var date: String?
    /// The code of the currency.
    package var currency: String?
    /// A category; a blank one takes it away.
    package var category: String?
    /// A note; a blank one takes it away.
    package var note: String?

    /// Changes nothing.
    package init() {}

    /// Whether anything is to change.
    package var isEmpty: Bool {
        [amount, title, date, currency, category, note].allSatisfy { $0 == nil } && split == SplitRequest()
    }
}
