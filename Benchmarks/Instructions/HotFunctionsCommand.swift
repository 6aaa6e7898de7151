import ArgumentParser
import BenchmarkData
import Foundation

/// Reads from callgrind's files which functions run with each change, so that the linker can place them next to each other
/// (decision 152).
struct HotFunctionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hot-functions",
        abstract: "Print what was called often, by the instructions it took (used by scripts/hot-functions).")

    @Option(help: "How often a function was called at least in one of the files.")
    var calls = 80
    @Argument(help: "Files of callgrind, made with --demangle=no.")
    var files: [String]

    func run() throws {
        var hot: [String: Int] = [:]
        for file in files {
            guard let bytes = FileManager.default.contents(atPath: file) else {
                throw BenchmarkError("Cannot read callgrind's file \"\(file)\".")
            }
            for (name, taken) in CallgrindFile(bytes).functions where taken.calls >= calls {
                hot[name, default: 0] += taken.instructions
            }
        }
        /// Returns whether a name is that of a linked function: not an address, a demangled name, or a function of a system
        /// library.
        func isLinked(_ name: String) -> Bool { !name.hasPrefix("0x") && !name.contains { " (@".contains($0) } }
        // Functions with equal counts are ordered by name, so that the list is stable.
        let sorted = hot.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        for (name, _) in sorted where isLinked(name) { print(name) }
    }
}

/// The counts of each function in a file of callgrind.
private struct CallgrindFile {
    struct Taken {
        var calls = 0
        /// The function's own instructions, without those of the functions that it called.
        var instructions = 0
    }

    private(set) var functions: [String: Taken] = [:]
    /// The names by number. The file contains each name once, and then only its number.
    private var names: [Substring: String] = [:]

    init(_ bytes: Data) {
        var function = ""
        var called = ""
        var isOfCall = false
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            if line.hasPrefix("fn=") {
                function = name(line.dropFirst(3))
            } else if line.hasPrefix("cfn=") {
                called = name(line.dropFirst(4))
            } else if line.hasPrefix("calls=") {
                let count = line.dropFirst(6).prefix { $0 != " " }
                functions[called, default: Taken()].calls += Int(count) ?? 0
                isOfCall = true
            } else if let first = line.utf8.first, "0123456789+-*".utf8.contains(first) {
                // The line after a line of calls has the instructions of the called functions.
                if !isOfCall, let cost = line.split(separator: " ").dropFirst().first {
                    functions[function, default: Taken()].instructions += Int(cost) ?? 0
                }
                isOfCall = false
            }
        }
    }

    /// - Parameter text: "(number) name", or the number alone.
    private mutating func name(_ text: Substring) -> String {
        guard text.hasPrefix("("), let end = text.firstIndex(of: ")") else { return String(text) }
        let number = text[text.startIndex...end]
        let rest = text[text.index(after: end)...].drop { $0 == " " }
        guard !rest.isEmpty else { return names[number] ?? "" }
        // Callgrind counts recursive calls as a separate function, whose name has a suffix.
        let name = String(rest.prefix { $0 != "'" })
        names[number] = name
        return name
    }
}
