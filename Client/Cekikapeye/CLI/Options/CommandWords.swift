/// Finds the command in the command line before the parser reads it.
struct CommandWords {
    /// The options of all commands that take a value.
    private static let valued: Set<String> = ["--group", "-g", "--language", "--generate-completion-script"]
    /// The words that other programs use for a command of this one.
    private static let synonyms = [
        "remove": "delete", "rm": "delete", "ls": "list", "pay": "settle", "rename": "person",
    ]

    /// The names of the commands, each with those of its subcommands.
    let commands: [String: [String]]

    /// Moves options before the command to a position after it, where the parser accepts them. An example is
    /// `cekikapeye --group x.roost add 30 pizza`.
    func reordered(_ arguments: [String]) -> [String] {
        let count = leadingOptions(arguments)
        guard count > 0, count < arguments.count, let own = commands[arguments[count]] else { return arguments }
        var rest = arguments[count...]
        var words = [rest.removeFirst()]
        if let next = rest.first, own.contains(next) { words.append(rest.removeFirst()) }
        return words + arguments[..<count] + rest
    }

    /// Returns the first word if it is not a command; `nil` if it is one or there is none.
    func unknownCommand(_ arguments: [String]) -> String? {
        // A shell that requests completions passes such arguments.
        guard arguments.first?.hasPrefix("---") != true else { return nil }
        var rest = arguments.dropFirst(leadingOptions(arguments))
        if rest.first == "help" { rest.removeFirst() }
        guard let word = rest.first, !word.hasPrefix("-"), word != "help", commands[word] == nil else { return nil }
        return word
    }

    /// Returns the command that a mistyped word most probably means.
    func suggestion(for word: String) -> String? {
        let word = word.lowercased()
        if let synonym = Self.synonyms[word] { return synonym }
        let near = commands.keys.map { (distance: Self.distance(word, $0), command: $0) }.sorted { $0 < $1 }
        guard let best = near.first, best.distance <= max(1, min(2, word.utf8.count / 2)) else { return nil }
        return best.command
    }

    /// Counts the arguments before the first word that is neither an option nor its value.
    private func leadingOptions(_ arguments: [String]) -> Int {
        var index = 0
        while index < arguments.count, arguments[index].hasPrefix("-"), arguments[index] != "--" {
            index += Self.valued.contains(arguments[index]) ? 2 : 1
        }
        return min(index, arguments.count)
    }

    /// Computes the Levenshtein distance of two words.
    private static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left.utf8), Array(right.utf8))
        var row = Array(0...right.count)
        for (index, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, other) in right.enumerated() {
                let change = diagonal + (letter == other ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(change, row[column] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }
}
