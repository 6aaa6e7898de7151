import ArgumentParser
import BenchmarkData
import Foundation

/// Reads off callgrind's files which functions run with each change, for the linker to lay beside each other (decision 152).
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
        /// Not what has no name, one for people, or one of a library that the system has.
        func isLinked(_ name: String) -> Bool { !name.hasPrefix("0x") && !name.contains { " (@".contains($0) } }
        // The same list for the same counts.
        let sorted = hot.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        for (name, _) in sorted where isLinked(name) { print(name) }
    }
}

/// What a file of callgrind says of each function.
private struct CallgrindFile {
    struct Taken {
        var calls = 0
        /// Without what it called.
        var instructions = 0
    }

    private(set) var functions: [String: Taken] = [:]
    /// A name stands in the file once; after that its number does.
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
                // The line after one of calls has what was taken in them.
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
        // Where it called itself, callgrind counts that as another.
        let name = String(rest.prefix { $0 != "'" })
        names[number] = name
        return name
    }
}
