package import CekikapeyeRules
package import RoostModel

/// The effect that importing a file would have on a book. Nothing has been written yet.
package struct ImportPreview: Sendable {
    /// The person in the group to whom a person of the file is mapped.
    package struct Mapping: Hashable, Sendable {
        /// The state of the mapped person in the group.
        package enum State: String, Hashable, Sendable {
            /// The group has nobody of that name: a person is inserted.
            case new
            /// The person was imported before and deleted since: the import undeletes the person.
            case deleted
            /// The group has a matching person: their record is used.
            case present
        }

        /// The name in the file.
        package let nameInFile: String
        /// The identifier of the person's record.
        package let id: RecordID
        /// The state of the person in the group.
        package let state: State
    }

    /// A spending that would be written.
    struct Entry: Sendable {
        let id: RecordID
        /// The person under whom the spending is listed.
        let person: RecordID
        let draft: SpendingDraft
    }

    /// The plan of the file.
    package let plan: ImportPlan
    /// The people, in the order of the header.
    package let mappings: [Mapping]
    /// The number of spendings that would be written.
    package var newCount: Int { drafts.count }
    /// The number of spendings to write that were imported before and deleted since.
    package let broughtBack: Int
    /// The number of spendings that the group has already; they stay as they are.
    package let alreadyThere: Int
    /// The proofs, one for each currency, ordered by code.
    package let proofs: [BalanceProof]
    /// The reasons other than skipped rows why proofs may fail.
    package let differences: [ImportDifference]
    /// The new rows that resemble spendings entered by hand.
    package let lookalikes: [ImportLookalike]
    /// The number of the group's spendings that no import wrote. The proofs do not include them.
    package let enteredHere: Int
    let drafts: [Entry]

    /// The source that imported spendings have.
    static let source = "splitwise"

    /// Whether importing would change nothing: no spending is new, and people are only inserted with new spendings.
    package var changesNothing: Bool { drafts.isEmpty }

    /// The proof of the first currency in which the imported spendings do not balance as the rows of the file do.
    package var failedProof: BalanceProof? { proofs.first { !$0.rowsHold } }
}
