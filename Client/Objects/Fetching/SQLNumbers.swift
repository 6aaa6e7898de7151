/// The numbers of arguments of statements.
enum SQLNumbers {
    /// Maximum number of identifiers in a statement: well under the limit of any SQLite, so that few texts of statements are
    /// prepared.
    static let idsAtOnce = 500

    /// Returns `?, ?, …`, whose arguments are bound from 1.
    static func marks(_ count: Int) -> String { Array(repeating: "?", count: count).joined(separator: ", ") }
}

extension Array {
    /// Splits the array into slices of at most a number of elements, in order.
    func chunks(of size: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
    }
}
