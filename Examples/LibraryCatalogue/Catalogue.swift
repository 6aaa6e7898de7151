import Roost

/// A catalogue of the authors in alphabetical order, each with the titles in order. Two functions build it in different ways.
struct Catalogue {
    /// The entry of one author.
    struct Entry: Equatable, CustomStringConvertible {
        let author: String
        /// The titles, each followed by its publisher if there is one.
        let titles: [String]

        var description: String { ([author] + titles.map { "  \($0)" }).joined(separator: "\n") }
    }

    let context: ObjectContext

    /// Reads each author's books through the relationship. The first access reads the books of all authors in one query.
    func byRelationship() throws -> [Entry] {
        try authors().map { auteur in
            Entry(auteur, try auteur.livres.sorted(by: [.ascending(\.titre, .localized)]))
        }
    }

    /// Fetches each author's books: one query for each author.
    func byPredicate() throws -> [Entry] {
        try authors().map { auteur in
            let request = FetchRequest<Livre>(
                where: \.auteur == auteur, sortedBy: [.ascending(\.titre, .localized)])
            return Entry(auteur, try context.fetch(request))
        }
    }

    private func authors() throws -> [Auteur] {
        try context.fetch(FetchRequest<Auteur>(sortedBy: [.ascending(\.nom, .localized)]))
    }
}

extension Catalogue.Entry {
    fileprivate init(_ auteur: Auteur, _ livres: [Livre]) {
        author = auteur.nom
        titles = livres.map { livre in
            livre.editeur.map { "\(livre.titre) (\($0.nom))" } ?? livre.titre
        }
    }
}
