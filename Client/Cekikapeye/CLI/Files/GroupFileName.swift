internal import CekikapeyeApp

/// Derives the name of a new group's file.
enum GroupFileName {
    /// Returns the file name for a group's name: `corse-2026.roost` for "Corse 2026".
    static func make(from name: String) -> String {
        let words = FoldedText(name).text.split { !$0.isLetter && !$0.isNumber }
        let stem = words.joined(separator: "-").prefix(60)
        return "\(stem.isEmpty ? "group" : stem).roost"
    }
}
