/// The command line before the parser reads it: which command is meant.
struct CommandWords {
    /// Options of all commands that take a value.
    private static let valued: Set<String> = ["--group", "-g", "--language", "--generate-completion-script"]
    /// Words that other programs have for a command of this one.
    private static let synonyms = [
        "remove": "delete", "rm": "delete", "ls": "list", "pay": "settle", "rename": "person",
    ]

    /// The commands with their own subcommands.
    let commands: [String: [String]]

    /// The arguments with the options that all commands take after the command, as in `cekikapeye --group x.roost add 30 pizza`.
    func reordered(_ arguments: [String]) -> [String] {
        let count = leadingOptions(arguments)
        guard count > 0, count < arguments.count, let own = commands[arguments[count]] else { return arguments }
        var rest = arguments[count...]
        var words = [rest.removeFirst()]
        if let next = rest.first, own.contains(next) { words.append(rest.removeFirst()) }
        return words + arguments[..<count] + rest
    }

    /// A first word that is no command; `nil` where there is none.
    func unknownCommand(_ arguments: [String]) -> String? {
        // A shell that asks for completions.
        guard arguments.first?.hasPrefix("---") != true else { return nil }
        var rest = arguments.dropFirst(leadingOptions(arguments))
        if rest.first == "help" { rest.removeFirst() }
        guard let word = rest.first, !word.hasPrefix("-"), word != "help", commands[word] == nil else { return nil }
        return word
    }

    /// The command that a mistyped word most likely means.
    func suggestion(for word: String) -> String? {
        let word = word.lowercased()
        if let synonym = Self.synonyms[word] { return synonym }
        let near = commands.keys.map { (distance: Self.distance(word, $0), command: $0) }.sorted { $0 < $1 }
        guard let best = near.first, best.distance <= max(1, min(2, word.utf8.count / 2)) else { return nil }
        return best.command
    }

    /// The number of arguments before the first word that is neither an option nor its value.
    private func leadingOptions(_ arguments: [String]) -> Int {
        var index = 0
        while index < arguments.count, arguments[index].hasPrefix("-"), arguments[index] != "--" {
            index += Self.valued.contains(arguments[index]) ? 2 : 1
        }
        return min(index, arguments.count)
    }

    /// How many letters differ (Levenshtein).
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
