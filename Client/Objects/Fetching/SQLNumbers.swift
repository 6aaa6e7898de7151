/// How many values go into one statement.
enum SQLNumbers {
    /// Well under what any SQLite takes, so that few texts of statements are prepared.
    static let idsAtOnce = 500

    /// `?, ?, …`, to be bound from 1.
    static func marks(_ count: Int) -> String { Array(repeating: "?", count: count).joined(separator: ", ") }
}

extension Array {
    /// The elements in order, so many at a time.
    func chunks(of size: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
    }
}
