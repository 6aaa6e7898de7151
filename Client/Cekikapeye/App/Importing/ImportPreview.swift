package import CekikapeyeRules
package import RoostModel

/// What importing a file would do to a book; nothing has been written yet.
package struct ImportPreview: Sendable {
    /// How a person of the file is found in the group.
    package struct Mapping: Hashable, Sendable {
        /// What the group has of a person.
        package enum State: String, Hashable, Sendable {
            /// Nobody of that name: the person is made.
            case new
            /// Imported before and deleted since: the person comes back.
            case deleted
            /// Somebody of that name: their record is used.
            case present
        }

        /// The name in the file.
        package let nameInFile: String
        /// The record.
        package let id: RecordID
        /// What the group has of the person.
        package let state: State
    }

    /// A spending that would be written.
    struct Entry: Sendable {
        let id: RecordID
        /// Whom it is listed under.
        let person: RecordID
        let draft: SpendingDraft
    }

    /// The plan of the file.
    package let plan: ImportPlan
    /// The people, in the order of the header.
    package let mappings: [Mapping]
    /// How many spendings would be written.
    package var newCount: Int { drafts.count }
    /// How many of those were imported before and deleted since.
    package let broughtBack: Int
    /// How many are there already; they stay as they are.
    package let alreadyThere: Int
    /// One proof per currency, by code.
    package let proofs: [BalanceProof]
    /// Why proofs may not hold, besides skipped rows.
    package let differences: [ImportDifference]
    /// New rows that look like spendings entered by hand.
    package let lookalikes: [ImportLookalike]
    /// How many spendings of the group no import wrote: the proofs are not about them.
    package let enteredHere: Int
    let drafts: [Entry]

    /// The source of an imported spending.
    static let source = "splitwise"

    /// Whether importing would change nothing: no spending is new, and nobody is added for none.
    package var changesNothing: Bool { drafts.isEmpty }

    /// The first currency in which the imported spendings do not balance as the rows of the file do.
    package var failedProof: BalanceProof? { proofs.first { !$0.rowsHold } }
}
