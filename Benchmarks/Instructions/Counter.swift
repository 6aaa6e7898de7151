import BenchmarkData
import Foundation
import Synchronization

/// Plays paths in processes of their own, under callgrind.
struct Counter: Sendable {
    private let folder: URL
    private let isKept: Bool
    private let program: URL

    /// - Parameter folder: The folder in which callgrind's files stay; `nil` for a folder that ``remove()`` deletes.
    init(keepingFilesIn folder: String?) throws {
        isKept = folder != nil
        self.folder =
            folder.map { URL(fileURLWithPath: $0) }
            ?? FileManager.default.temporaryDirectory.appending(path: "roost-counts-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
        program = self.folder.appending(path: "roost-instructions")
        // Debian's valgrind fails on the debug information that Swift's compiler writes. The names of functions stay.
        try Self.strip(URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath(), to: program)
    }

    private static func strip(_ program: URL, to copy: URL) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["strip", "--strip-debug", "-o", copy.path, program.path]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchmarkError("Cannot copy \"\(program.path)\" without debug information. Install binutils.")
        }
    }

    func remove() {
        if !isKept { try? FileManager.default.removeItem(at: folder) }
    }

    /// A side effect for the functions that mark the beginning and end of counting, so that the compiler keeps them.
    static let marks = Atomic(0)

    /// Returns the instructions of one unit of a path, averaged over every round after the first.
    func instructionsOfUnit(_ path: HotPath) throws -> Int {
        try instructions(path) / ((HotPath.roundsMax - 1) * path.unitsPerRound)
    }

    /// Returns the instructions of all rounds but the first.
    private func instructions(_ path: HotPath) throws -> Int {
        let file = folder.appending(path: "callgrind.\(path.name)")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            // Fair scheduling alternates the threads, so that their work does not depend on other processes.
            "valgrind", "--quiet", "--fair-sched=try", "--tool=callgrind", "--demangle=no",
            "--callgrind-out-file=\(file.path)",
            "--dump-before=*markTheBeginning*", "--dump-before=*markTheEnd*", program.path, "play", path.name,
        ]
        // Deterministic hashing keeps the order of hashed values, and thus the work that depends on it, equal in each run.
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_DETERMINISTIC_HASHING": "1"]) { $1 }
        process.standardOutput = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        let status = process.terminationStatus
        guard status == 0 else {
            throw BenchmarkError(
                "Cannot count \"\(path.name)\": valgrind ended with status \(status). "
                    + "Install it, or play the path by itself: \(program.lastPathComponent) play \(path.name).")
        }
        // The first dump has the counts before the rounds; the file without a number has those after the rounds.
        return try Self.total(in: file.appendingPathExtension("2"))
    }

    /// Reads the line "totals: N" of callgrind's file.
    private static func total(in file: URL) throws -> Int {
        let text = try String(contentsOf: file, encoding: .utf8)
        for line in text.split(separator: "\n").reversed() where line.hasPrefix("totals:") {
            if let number = line.split(separator: " ").last.flatMap({ Int($0) }) { return number }
        }
        throw BenchmarkError("Cannot read callgrind's file \"\(file.path)\": it has no total.")
    }
}
