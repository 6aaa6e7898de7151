/// Suggests an existing name for an unknown one.
enum NearestName {
    /// The candidate with the smallest edit distance from `name`, if it is close enough.
    static func of(_ name: String, among candidates: [String]) -> String? {
        // A long unknown name is no typing error, and comparing it would take long.
        guard name.utf8.count <= 64 else { return nil }
        let wanted = Array(name.lowercased().unicodeScalars)
        let limit = max(1, wanted.count / 3)
        let best = candidates.map { ($0, distance(wanted, Array($0.lowercased().unicodeScalars))) }
            .min { $0.1 < $1.1 }
        guard let best, best.1 <= limit else { return nil }
        return best.0
    }

    /// The edit distance: insertions, removals and replacements (V. Levenshtein, 1965).
    private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        var row = Array(0...right.count)
        for (index, scalar) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, other) in right.enumerated() {
                let replaced = diagonal + (scalar == other ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[right.count]
    }
}
