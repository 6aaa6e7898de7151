/// Suggests the word of the format language that an unknown one stands for.
enum FormatSuggestion {
    /// Words between two operands.
    static let operators = ["BETWEEN", "IN", "BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE", "MATCHES"]
    /// Words between two conditions.
    static let conjunctions = ["AND", "OR"]
    /// Words before a condition.
    static let prefixes = ["NOT", "ANY", "ALL", "NONE", "SOME"]
    /// Words before a parenthesis.
    static let functions = ["SUBQUERY", "CAST"] + PredicateTerm.TextFunction.allCases.map { "\($0.rawValue):" }

    /// Operators by their names in other languages.
    private static let synonyms = [
        "startswith": "BEGINSWITH", "hasprefix": "BEGINSWITH", "hassuffix": "ENDSWITH", "has": "CONTAINS",
        "includes": "CONTAINS", "include": "CONTAINS", "ilike": "LIKE[c]", "regexp": "MATCHES", "regex": "MATCHES",
        "is": "==", "eq": "==", "equals": "==", "lt": "<", "gt": ">",
    ]

    /// The word that a name stands for, as the end of a message; empty where no word is near.
    static func cure(_ name: String, among words: [String]) -> String {
        let synonym = words.contains("CONTAINS") ? synonyms[name.lowercased()] : nil
        guard let word = synonym ?? NearestName.of(name, among: words) else { return "" }
        return " Did you mean \(word)?"
    }
}
