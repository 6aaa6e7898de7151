/// Splits typed texts into names, with or without a number.
enum Assignments {
    /// Parses `Ana,Bob=8,50` as Ana without a number and Bob with `8,50`. A piece that begins with a digit continues
    /// the number before it.
    static func read(_ texts: [String]) -> [(name: String, number: String?)] {
        var result: [(name: String, number: String?)] = []
        for text in texts {
            for piece in text.split(separator: ",", omittingEmptySubsequences: true) {
                let parts = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                if parts.count == 2 {
                    result.append((trimmed(parts[0]), trimmed(parts[1])))
                } else if let last = result.last, let number = last.number, startsWithDigit(piece) {
                    result[result.count - 1].number = "\(number),\(trimmed(piece))"
                } else {
                    result.append((trimmed(piece), nil))
                }
            }
        }
        return result
    }

    private static func startsWithDigit(_ piece: Substring) -> Bool {
        piece.utf8.first.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
    }

    private static func trimmed(_ piece: Substring) -> String {
        var piece = piece
        while piece.first?.isWhitespace == true { piece.removeFirst() }
        while piece.last?.isWhitespace == true { piece.removeLast() }
        return String(piece)
    }
}
