extension ExpenseError {
    /// Describes the problem, the reason, and the remedy.
    ///
    /// - Parameters:
    ///   - amount: Formats minor units as an amount.
    ///   - person: Returns a person's name.
    package func message(
        in language: Language, amount: (Int64) -> String, person: (PersonID) -> String
    ) -> String {
        switch self {
        case .money(let error): error.message(in: language)
        case .date(let error): error.message(in: language)
        case .split(let error): error.message(in: language, amount: amount, person: person)
        case .negativeAmount(let kind, let got):
            switch language {
            case .english: description(amount: amount, person: person)
            case .french:
                """
                Impossible de noter (\(kind.rawValue)) \(amount(got)) : il faut 0 ou plus. \
                Changez le signe et les deux côtés, ou notez un remboursement comme une dépense au-dessous de 0.
                """
            }
        }
    }
}
