extension DateError {
    /// Describes the problem, the reason, and the correct input.
    package func message(in language: Language) -> String {
        switch language {
        case .english: description
        case .french: french
        }
    }

    private var french: String {
        switch self {
        case .notADate(let text):
            """
            Date « \(text.shortened()) » illisible : attendu AAAA-MM-JJ, aujourd'hui, hier ou -3j. \
            Tapez-la comme 2026-07-14.
            """
        case .noSuchDay(let text):
            "Date « \(text.shortened()) » refusée : ce jour n'existe pas. Vérifiez le mois et le jour."
        case .outOfRange(let text):
            "Date « \(text.shortened()) » refusée : la limite est de \(DateParser.daysBackMax) jours. Tapez AAAA-MM-JJ."
        }
    }
}
