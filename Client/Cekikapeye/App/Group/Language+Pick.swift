package import CekikapeyeRules

extension Language {
    /// Returns the text for this language.
    package func pick(_ english: String, fr french: String) -> String {
        switch self {
        case .english: english
        case .french: french
        }
    }
}
