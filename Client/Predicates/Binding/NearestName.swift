/// Finds what somebody meant who wrote a name that does not exist.
enum NearestName {
    /// The candidate that is fewest edits away from `name`, if that is not too many.
    static func of(_ name: String, among candidates: [String]) -> String? {
        // A long wrong name is nobody's slip, and would take long to compare.
        guard name.utf8.count <= 64 else { return nil }
        let wanted = Array(name.lowercased().unicodeScalars)
        let limit = max(1, wanted.count / 3)
        let best = candidates.map { ($0, distance(wanted, Array($0.lowercased().unicodeScalars))) }
            .min { $0.1 < $1.1 }
        guard let best, best.1 <= limit else { return nil }
        return best.0
    }

    /// How many insertions, removals and replacements lead from one to the other (V. Levenshtein, 1965).
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
