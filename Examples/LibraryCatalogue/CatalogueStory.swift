import Roost

/// The story of the example: a library, and its catalogue built in two ways.
enum CatalogueStory {
    /// The author, title and publisher of each book.
    private static let books = [
        ("Zola", "Nana", "Charpentier"), ("Zola", "L'Œuvre", "Charpentier"),
        ("Éluard", "Capitale de la douleur", "Gallimard"),
        ("Camus", "L'Étranger", "Gallimard"), ("Camus", "L'Envers et l'Endroit", nil),
        ("Camus", "La Peste", "Gallimard"),
        ("Echenoz", "Ravel", "Minuit"), ("Ernaux", "Les Années", "Gallimard"),
    ]

    /// Plays the story in a store in memory. A replica would give the same text.
    static func text() throws -> String {
        let container = try ObjectContainer(inMemory: CatalogueSchema.self)
        let context = container.newBackgroundContext()
        try fill(context)
        let catalogue = Catalogue(context: context)
        let list = try catalogue.byRelationship()
        let isSame = try catalogue.byPredicate() == list
        return (list.map(\.description) + ["By predicate: \(isSame ? "the same" : "another list")."]).joined(
            separator: "\n")
    }

    /// Inserts the books, with an author and a publisher for each name, and saves them in one transaction.
    static func fill(_ context: ObjectContext) throws {
        for (nom, titre, editeur) in books {
            let livre = try context.insert(Livre.self)
            livre.titre = titre
            livre.auteur = try auteur(nom, context)
            livre.editeur = try editeur.map { try self.editeur($0, context) }
        }
        try context.save("fill the library")
    }

    private static func auteur(_ nom: String, _ context: ObjectContext) throws -> Auteur {
        if let known = try context.fetch(FetchRequest<Auteur>(where: \.nom == nom)).first { return known }
        let auteur = try context.insert(Auteur.self)
        auteur.nom = nom
        return auteur
    }

    private static func editeur(_ nom: String, _ context: ObjectContext) throws -> Editeur {
        if let known = try context.fetch(FetchRequest<Editeur>(where: \.nom == nom)).first { return known }
        let editeur = try context.insert(Editeur.self)
        editeur.nom = nom
        return editeur
    }
}
