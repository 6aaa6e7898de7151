package import CekikapeyeRules
package import RoostModel

/// A reason why the imported spendings of a group do not balance as a file does.
package struct ImportDifference: Hashable, Sendable {
    /// The kind of a difference.
    package enum Kind: String, Hashable, Sendable {
        /// An earlier import wrote the spending, and this file has no equal row: the row may have been corrected in
        /// Splitwise since.
        case notInFile
        /// The spending was changed in the group after its import, and stays so.
        case edited
        /// The spending is hidden, because the person under whom it is listed was deleted.
        case hidden
    }

    /// The reason.
    package let kind: Kind
    /// The title of the spending.
    package let title: String
    /// The identifier of the spending.
    package let id: RecordID

    /// Describes the difference in one line.
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
