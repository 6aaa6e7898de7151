internal import CekikapeyeRules

/// The name of a locale as the environment gives it, such as `fr_FR.UTF-8`.
struct LocaleName {
    /// Two or three lower-case letters.
    let language: String
    /// Two upper-case letters, where the name has them.
    let territory: String?

    /// Reads a name; `C`, `POSIX` and blank ones say nothing.
    init?(_ text: String?) {
        guard let text, !text.isEmpty, text != "C", text != "POSIX", !text.hasPrefix("C.") else { return nil }
        let bare = text.prefix { $0 != "." && $0 != "@" }
        let parts = bare.split(separator: "_", maxSplits: 1)
        guard let first = parts.first else { return nil }
        language = first.lowercased()
        territory = parts.count == 2 ? parts[1].uppercased() : nil
    }

    /// The language of messages that the variables ask for.
    static func messages(_ variables: [String: String]) -> Language {
        let name = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { LocaleName(variables[$0]) }.first
        return name?.language == "fr" ? .french : .english
    }

    /// The currency of the territory that the variables name.
    static func currency(_ variables: [String: String]) -> Currency? {
        let name = ["LC_ALL", "LC_MONETARY", "LANG"].lazy.compactMap { LocaleName(variables[$0]) }.first
        guard let code = name?.territory.flatMap({ TerritoryCurrency.codes[$0] }) else { return nil }
        return try? Currency(code: code)
    }
}
