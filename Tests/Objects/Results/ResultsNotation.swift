import Objects

/// A short notation for snapshots and changes.
enum ResultsNotation {
    /// Parses a snapshot. "A: a b | B: c" has a section "A" with the rows "a" and "b", and a section "B"; "a b" has the unnamed one.
    static func snapshot(_ text: String) -> ResultsSnapshot<String> {
        guard text.contains(":") else { return ResultsSnapshot(rows: words(text[...])) }
        let sections = text.split(separator: "|").map { part in
            let pieces = part.split(separator: ":", omittingEmptySubsequences: false)
            return ResultsSection(name: words(pieces[0]).joined(), rows: words(pieces[1]))
        }
        return ResultsSnapshot(sections: sections)
    }

    /// Formats changes. "-" deletes, "+" inserts, ">" moves and "*" updates; sections are in brackets.
    static func changes(_ difference: ResultsDifference<String>) -> [String] {
        difference.changes.map { change in
            switch change {
            case .deleteSection(let name, let index): "- [\(name ?? "")] \(index)"
            case .moveSection(let name, let from, let to): "[\(name ?? "")] \(from) > \(to)"
            case .insertSection(let name, let index): "+ [\(name ?? "")] \(index)"
            case .deleteRow(let id, let path): "- \(id) \(short(path))"
            case .moveRow(let id, let from, let to, let isUpdated):
                "\(isUpdated ? "* " : "")\(id) \(short(from)) > \(short(to))"
            case .insertRow(let id, let path): "+ \(id) \(short(path))"
            case .updateRow(let id, let from, let to): "* \(id) \(short(from)) = \(short(to))"
            }
        }
    }

    static func words(_ text: Substring) -> [String] { text.split(separator: " ").map(String.init) }

    private static func short(_ path: ResultsIndexPath) -> String { "\(path.section).\(path.row)" }
}
