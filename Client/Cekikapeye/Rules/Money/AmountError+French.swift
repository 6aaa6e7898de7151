extension AmountError {
    /// Describes the problem, the reason, and the correct input.
    package func message(in language: Language) -> String {
        switch language {
        case .english: description
        case .french: french
        }
    }

    private var french: String {
        switch self {
        case .empty:
            "Montant vide : tapez un nombre, comme 12,50."
        case .tooLong(let limit):
            "Montant illisible : plus de \(limit) octets. Tapez un nombre, comme 12,50."
        case .unexpectedCharacter(let character, let text):
            "Montant « \(text.shortened()) » illisible : « \(character) » n'est pas d'un nombre. Tapez des chiffres, comme 12,50."
        case .misplacedSign(let text):
            "Montant « \(text.shortened()) » illisible : un + ou un - est sans nombre. Tapez une somme, comme 12+4,50."
        case .misplacedMarks(let text):
            """
            Montant « \(text.shortened()) » illisible : ses points, virgules ou espaces ne vont pas dans un nombre. \
            Tapez-le sans séparateur de milliers, comme 1234,50.
            """
        case .tooManyDecimals(let text, let currency):
            "Montant « \(text.shortened()) » refusé : en \(currency), \(Self.decimals(currency)). Arrondissez-le."
        case .tooLarge(let text, let currency):
            """
            Montant « \(text.shortened()) » refusé : la limite est \
            \(MoneyFormat.plain.string(from: Money(minorUnits: Money.entryLimit, currency: currency))). \
            Vérifiez le nombre de chiffres.
            """
        }
    }

    private static func decimals(_ currency: Currency) -> String {
        currency.exponent == 0 ? "il n'y a pas de décimales" : "\(currency.exponent) décimales au plus"
    }
}
