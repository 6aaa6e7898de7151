extension MoneyError {
    /// Describes the problem, the value at fault, the reason, and the remedy.
    package func message(in language: Language) -> String {
        switch language {
        case .english: description
        case .french: french
        }
    }

    private var french: String {
        switch self {
        case .unknownCurrency(let text):
            "Monnaie « \(text.shortened()) » refusée : ce n'est pas un code ISO 4217. Donnez trois lettres, comme EUR."
        case .noMinorUnit(let code):
            "Monnaie « \(code) » refusée : personne ne paie avec. Donnez le code de la monnaie d'un pays."
        case .beyondEntryLimit(let amount, let currency):
            """
            Montant \(Self.text(amount, currency)) refusé : la limite est \(Self.text(Money.entryLimit, currency)) \
            dans les deux sens. Vérifiez le nombre de chiffres.
            """
        case .currenciesDiffer(let left, let right):
            "Impossible d'ajouter \(right) à \(left) : les soldes sont tenus par monnaie. Convertissez d'abord."
        case .overflow(let code):
            "Impossible d'additionner les montants en \(code) : la somme est trop grande. Cherchez les dépenses absurdes."
        }
    }
}
