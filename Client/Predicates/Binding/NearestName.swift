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

    /// The edit distance: insertions, removals, replacements (V. Levenshtein, 1965) and neighbours in the wrong order
    /// (F. Damerau, 1964), each once.
    private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        var rows = (beforeLast: [Int](), last: Array(0...right.count))
        for (index, scalar) in left.enumerated() {
            var row = [index + 1]
            for (column, other) in right.enumerated() {
                let replaced = rows.last[column] + (scalar == other ? 0 : 1)
                var least = min(replaced, rows.last[column + 1] + 1, row[column] + 1)
                if index > 0, column > 0, scalar == right[column - 1], left[index - 1] == other {
                    least = min(least, rows.beforeLast[column - 1] + 1)
                }
                row.append(least)
            }
            rows = (rows.last, row)
        }
        return rows.last[right.count]
    }
}
