extension SplitError {
    /// Describes the problem, the reason, and the remedy.
    ///
    /// - Parameters:
    ///   - amount: Formats minor units as an amount.
    ///   - person: Returns a person's name.
    package func message(
        in language: Language, amount: (Int64) -> String, person: (PersonID) -> String
    ) -> String {
        switch language {
        case .english: description(amount: amount, person: person)
        case .french: french(amount, person)
        }
    }

    private func french(_ amount: (Int64) -> String, _ name: (PersonID) -> String) -> String {
        switch self {
        case .notJSON, .tooLong, .missingKey, .wrongType, .badPerson:
            "Partage illisible : un autre programme l'a écrit, ou il est abîmé. Rétablissez une version antérieure."
        case .unknownRule, .unknownMode:
            "Partage illisible : une version plus récente l'a écrit. Mettez l'application à jour."
        case .participantCount(let count, let limit):
            "Impossible de partager entre \(count) personnes : de 1 à \(limit). Nommez celles que la dépense concerne."
        case .personTwice(let person):
            "Impossible de partager : \(name(person)) est nommé deux fois. Nommez chacun une fois."
        case .numberOutOfRange(let key, let person, let got, let allowed):
            "Impossible de partager : « \(key) » de \(name(person)) est \(got), permis : \(allowed). Corrigez le nombre."
        case .wrongSum(.shares, let got, _):
            "Impossible de partager : les parts font \(got), il en faut au moins 1. Donnez une part à quelqu'un."
        case .wrongSum(.percent, let got, let expected):
            "Impossible de partager : les pourcentages font \(Self.percent(got)) au lieu de \(Self.percent(expected)). Corrigez-les."
        case .wrongSum(.exact, let got, let expected):
            "Impossible de partager : les montants font \(amount(got)) au lieu de \(amount(expected)). Corrigez-les."
        case .wrongSum(_, let got, let expected):
            "Impossible de partager : les nombres font \(got) au lieu de \(expected). Corrigez-les."
        case .payersSum(let got, let expected):
            "Impossible de partager : payé \(amount(got)), la dépense est de \(amount(expected)). Corrigez l'un des deux."
        case .notInMode(let key, let mode):
            "Impossible de partager en mode \(mode.rawValue) : « \(key) » n'y va pas. Retirez-le ou changez de mode."
        case .exceedsTotal(_, let got, let total):
            "Impossible de partager : les montants font \(amount(got)), la dépense n'est que de \(amount(total)). Corrigez."
        }
    }
}
