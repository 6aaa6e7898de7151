/// The words that Splitwise writes in the language of the account. A file may mix languages.
enum SplitwiseLabels {
    /// The known labels of each of the five leading columns, in lower case.
    static let columns: [Set<String>] = [
        ["date", "datum"],
        ["description", "memo", "notes", "libellé", "beschreibung"],
        ["category", "catégorie", "kategorie"],
        ["cost", "amount", "total", "coût", "cout", "montant", "kosten", "betrag"],
        ["currency", "devise", "monnaie", "währung"],
    ]

    /// The categories of payments.
    static let payments: Set<String> = ["payment", "paiement", "règlement", "zahlung"]

    /// The descriptions of the total rows at the end.
    static let totals: Set<String> = ["total balance", "solde total", "gesamtsaldo", "gesamtbilanz"]
}
