/// Something worth knowing about an import that goes well.
package struct ImportNote: Hashable, Sendable {
    /// What there is to know.
    package enum Kind: Hashable, Sendable {
        /// The row has neither cost nor effect.
        case noEffect
        /// All effects are 0: the payer is not in the file, and balances do not change.
        case unknownPayer
        /// Several people are owed: what each paid is not in the file, the effects are kept.
        case severalPayers
        /// The row equals the one on that line; both are kept.
        case equalRow(line: Int)
        /// Several people have this name.
        case repeatedName(String)
        /// No total in this currency: its rows cannot be checked.
        case noTotal(currencyCode: String)
        /// Every mark in the numbers could separate thousands, and was read so.
        case marksGuessed
    }

    /// The line of the file, from 1.
    package let line: Int
    /// What there is to know.
    package let kind: Kind
}

extension ImportNote: CustomStringConvertible {
    /// `Line 12: what there is to know`.
    package var description: String { "Line \(line): \(text)" }

    private var text: String {
        switch kind {
        case .noEffect: "cost and amounts are 0: kept, no effect on balances."
        case .unknownPayer: "all amounts are 0: the payer is unknown, no effect on balances."
        case .severalPayers: "several people paid, the file does not tell how much each: balances are kept exactly."
        case .equalRow(let line): "the same as line \(line): kept as a second expense."
        case .repeatedName(let name): "\"\(name.shortened())\" names several people: numbered in header order."
        case .noTotal(let code): "the file has no total for \(code): its rows could not be checked."
        case .marksGuessed: "points and commas in amounts were taken for thousands separators."
        }
    }
}
