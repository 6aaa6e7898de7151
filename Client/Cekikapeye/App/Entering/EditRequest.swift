/// The changes to a spending in the form in which the user typed them. A property that is `nil` stays unchanged.
package struct EditRequest: Sendable {
    /// The amount.
    package var amount: String?
    /// The purpose.
    package var title: String?
    /// The payers and the participants. Parts that the request does not give stay unchanged.
    package var split = SplitRequest()
    /// The day.
    package var date: String?
    /// The code of the currency.
    package var currency: String?
    /// The category; a blank one removes it.
    package var category: String?
    /// The note; a blank one removes it.
    package var note: String?

    /// Makes a request without changes.
    package init() {}

    /// Whether the request has no change.
    package var isEmpty: Bool {
        [amount, title, date, currency, category, note].allSatisfy { $0 == nil } && split == SplitRequest()
    }
}
