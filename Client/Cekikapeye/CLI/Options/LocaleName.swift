internal import CekikapeyeRules

/// The name of a locale as in an environment variable, such as `fr_FR.UTF-8`.
struct LocaleName {
    /// The language: two or three lower-case letters.
    let language: String
    /// The territory: two upper-case letters; `nil` if the name has none.
    let territory: String?

    /// Parses a name; `nil` for `C`, `POSIX` and blank ones, which specify no language.
    init?(_ text: String?) {
        guard let text, !text.isEmpty, text != "C", text != "POSIX", !text.hasPrefix("C.") else { return nil }
        let bare = text.prefix { $0 != "." && $0 != "@" }
        let parts = bare.split(separator: "_", maxSplits: 1)
        guard let first = parts.first else { return nil }
        language = first.lowercased()
        territory = parts.count == 2 ? parts[1].uppercased() : nil
    }

    /// Returns the language of messages according to the variables.
    static func messages(_ variables: [String: String]) -> Language {
        let name = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { LocaleName(variables[$0]) }.first
        return name?.language == "fr" ? .french : .english
    }

    /// Returns the currency of the territory according to the variables.
    static func currency(_ variables: [String: String]) -> Currency? {
        let name = ["LC_ALL", "LC_MONETARY", "LANG"].lazy.compactMap { LocaleName(variables[$0]) }.first
        guard let code = name?.territory.flatMap({ TerritoryCurrency.codes[$0] }) else { return nil }
        return try? Currency(code: code)
    }
}
