package import CekikapeyeRules
package import RoostModel

/// What importing a file would do to a book; nothing has been written yet.
package struct ImportPreview: Sendable {
    /// How a person of the file is found in the group.
    package struct Mapping: Hashable, Sendable {
        /// The name in the file.
        package let nameInFile: String
        /// The record.
        package let id: RecordID
        /// Whether there is nobody of that name yet.
        package let isNew: Bool
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
    let drafts: [(id: RecordID, draft: SpendingDraft)]

    /// Whether importing would change nothing.
    package var changesNothing: Bool { drafts.isEmpty && mappings.allSatisfy { !$0.isNew } }
}
