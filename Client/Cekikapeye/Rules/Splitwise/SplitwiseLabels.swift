/// The words Splitwise writes in the language of the account; a file may mix languages.
enum SplitwiseLabels {
    /// For each of the five leading columns, the labels known, in lower case.
    static let columns: [Set<String>] = [
        ["date", "datum"],
        ["description", "memo", "notes", "libellé", "beschreibung"],
        ["category", "catégorie", "kategorie"],
        ["cost", "amount", "total", "coût", "cout", "montant", "kosten", "betrag"],
        ["currency", "devise", "monnaie", "währung"],
    ]

    /// The category of money handed over.
    static let payments: Set<String> = ["payment", "paiement", "règlement", "zahlung"]

    /// The description of the rows at the end that sum up.
    static let totals: Set<String> = ["total balance", "solde total", "gesamtsaldo", "gesamtbilanz"]
}
