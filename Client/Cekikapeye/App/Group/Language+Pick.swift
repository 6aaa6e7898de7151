package import CekikapeyeRules

extension Language {
    /// The text of this language.
    package func pick(_ english: String, fr french: String) -> String {
        switch self {
        case .english: english
        case .french: french
        }
    }
}
