import Objects

/// The authors in alphabetical order, each with the titles in order: the same list in two ways.
struct Catalogue {
    /// An author's part of the list.
    struct Entry: Equatable, CustomStringConvertible {
        let author: String
        /// Each with its publisher, where it has one.
        let titles: [String]

        var description: String { ([author] + titles.map { "  \($0)" }).joined(separator: "\n") }
    }

    let context: ObjectContext

    /// From each author through the relationship to the books. The books of all authors are read at once, with the first.
    func byRelationship() throws -> [Entry] {
        try authors().map { auteur in
            Entry(auteur, try auteur.livres.sorted(by: [.ascending(\.titre, .localized)]))
        }
    }

    /// By a fetch of each author's books: a query for each author.
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
