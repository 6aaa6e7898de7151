/// A note on an import that succeeds.
package struct ImportNote: Hashable, Sendable {
    /// The kind of a note.
    package enum Kind: Hashable, Sendable {
        /// The row has neither cost nor effect.
        case noEffect
        /// All effects are 0: the file does not name the payer, and balances do not change.
        case unknownPayer
        /// Several people are owed. The file does not state how much each paid; the effects are kept.
        case severalPayers
        /// The row equals the one on the given line; both are kept.
        case equalRow(line: Int)
        /// Several people have this name.
        case repeatedName(String)
        /// The file has no total in this currency, so its rows cannot be checked.
        case noTotal(currencyCode: String)
        /// Every mark in the numbers could separate thousands, and was interpreted as doing so.
        case marksGuessed
    }

    /// The line of the file, from 1.
    package let line: Int
    /// The content of the note.
    package let kind: Kind
}

extension ImportNote: CustomStringConvertible {
    /// The note as `Line 12: text`.
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
