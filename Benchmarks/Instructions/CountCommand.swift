import ArgumentParser
import Dispatch
import Foundation
import Synchronization

/// Plays every path under valgrind, one process each, and compares the counts with the thresholds in the repository.
struct CountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "count", abstract: "Count, and compare with the thresholds (the default).",
        discussion: """
            Each path is played under callgrind, three rounds of it; the first is not counted, nor is what prepares them. Exit \
            status 1 says that a path takes more instructions than its threshold allows.
            """)

    @Option(help: "The thresholds.")
    var thresholds = "Benchmarks/instructions.json"
    @Flag(help: "Write what is counted as the new thresholds; paths that are not counted keep theirs.")
    var update = false
    @Option(help: "Count only this path; may be repeated.")
    var only: [String] = []
    @Option(help: "Keep callgrind's files in this folder, for callgrind_annotate.")
    var keep: String?

    func validate() throws {
        let known = HotPath.all.map(\.name)
        for name in only where !known.contains(name) {
            throw ValidationError("There is no path \"\(name)\". Expected one of: \(known.joined(separator: ", ")).")
        }
    }

    func run() throws {
        var limits = try Thresholds.read(thresholds)
        let paths = HotPath.all.filter { only.isEmpty || only.contains($0.name) }
        let counts = try count(paths)
        var isExceeded = false
        for path in paths {
            guard let count = counts[path.name] else { continue }
            let verdict = limits.verdict(on: count, of: path)
            if update { limits.paths[path.name] = count } else if verdict.isExceeded { isExceeded = true }
            print(Self.line(path, count, verdict.words))
        }
        if update {
            if only.isEmpty { limits.paths = counts }
            try limits.write(thresholds)
        } else if isExceeded {
            FileHandle.standardError.write(Data((Self.advice + "\n").utf8))
            throw ExitCode.failure
        }
    }

    private static let advice =
        "Cannot accept these counts: a path takes more instructions than it did. Make it cheaper, or, where the cost is "
        + "meant, say why in the commit and run scripts/instructions --update."

    private static func line(_ path: HotPath, _ count: Int, _ words: String) -> String {
        let name = path.name.padding(toLength: 18, withPad: " ", startingAt: 0)
        return "\(name) \(count) instructions a \(path.unit), \(words)"
    }

    /// Counts as many paths concurrently as there are cores.
    ///
    /// - Returns: The instructions of one unit of each path.
    private func count(_ paths: [HotPath]) throws -> [String: Int] {
        let counter = try Counter(keepingFilesIn: keep)
        defer { counter.remove() }
        let counts = Mutex<[String: Result<Int, any Error>]>([:])
        DispatchQueue.concurrentPerform(iterations: paths.count) { index in
            let count = Result { try counter.instructionsOfUnit(paths[index]) }
            counts.withLock { $0[paths[index].name] = count }
        }
        return try counts.withLock { $0 }.mapValues { try $0.get() }
    }
}
