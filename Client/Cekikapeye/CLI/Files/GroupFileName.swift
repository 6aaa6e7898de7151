internal import CekikapeyeApp

/// The name of the file of a new group.
enum GroupFileName {
    /// `corse-2026.roost` for "Corse 2026".
    static func make(from name: String) -> String {
        let words = FoldedText(name).text.split { !$0.isLetter && !$0.isNumber }
        let stem = words.joined(separator: "-").prefix(60)
        return "\(stem.isEmpty ? "group" : stem).roost"
    }
}
