package import CekikapeyeRules
package import RoostModel

/// A reason why the imported spendings of a group do not balance as a file does.
package struct ImportDifference: Hashable, Sendable {
    /// The reason.
    package enum Kind: String, Hashable, Sendable {
        /// An earlier import wrote the spending, and no row of this file is the same: it may have been corrected there since.
        case notInFile
        /// The spending was changed in the group since it was imported, and stays so.
        case edited
        /// The spending is hidden, because the person it is listed under was deleted.
        case hidden
    }

    /// The reason.
    package let kind: Kind
    /// Of the spending.
    package let title: String
    /// The spending.
    package let id: RecordID

    /// A line about it.
    package func text(in language: Language) -> String {
        let name = "\"\(title)\" (\(id.description.suffix(12)))"
        return switch kind {
        case .notInFile:
            language.pick(
                "\(name) was imported before and is not in this file",
                fr: "\(name) a été importé auparavant et n'est pas dans ce fichier")
        case .edited:
            language.pick("\(name) was changed here since", fr: "\(name) a été modifié ici depuis")
        case .hidden:
            language.pick(
                "\(name) is hidden: its person was deleted", fr: "\(name) est masqué : la personne a été supprimée")
        }
    }
}
