package import Foundation

/// The programs as they were built beside the tests, and what running one gave.
package enum Programs {
    package struct Output: CustomStringConvertible, Sendable {
        package var status: Int32
        package var standard: String
        package var error: String
        /// Whether a signal ended it; `status` is the signal's number then.
        package var isSignalled = false

        package var description: String { "status \(status)\nout: \(standard)\nerr: \(error)" }
        package var lines: [String] { standard.split(separator: "\n").map(String.init) }
    }

    /// The folder that the build put this test and the programs in.
    package static var folder: URL {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    }

    package static var repository: URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    }

    /// A program by its name, next to the tests first and then in `PATH`, or by its absolute path.
    package static func url(_ name: String) -> URL {
        if name.hasPrefix("/") { return URL(filePath: name) }
        let own = folder.appending(path: name)
        if FileManager.default.isExecutableFile(atPath: own.path) { return own }
        for place in (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":") {
            let candidate = URL(filePath: String(place)).appending(path: name)
            if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
        }
        return own
    }

    /// Runs a program to its end.
    @discardableResult
    package static func run(
        _ name: String, _ arguments: [String], input: String? = nil, environment: [String: String] = [:],
        in directory: URL? = nil
    ) throws -> Output {
        let process = Process()
        process.executableURL = url(name)
        process.arguments = arguments
        process.currentDirectoryURL = directory
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        // Files, not pipes: no output is too large for them.
        let scratch = FileManager.default.temporaryDirectory.appending(path: "roost-run-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: scratch) }
        func file(_ name: String, _ content: String = "") throws -> FileHandle {
            let url = scratch.appending(path: name)
            try Data(content.utf8).write(to: url)
            return try FileHandle(forUpdating: url)
        }
        process.standardInput = try file("in", input ?? "")
        process.standardOutput = try file("out")
        process.standardError = try file("err")
        try process.run()
        process.waitUntilExit()
        func text(_ name: String) throws -> String {
            String(decoding: try Data(contentsOf: scratch.appending(path: name)), as: UTF8.self)
        }
        return Output(
            status: process.terminationStatus, standard: try text("out"), error: try text("err"),
            isSignalled: process.terminationReason == .uncaughtSignal)
    }

    /// Runs a program that must succeed.
    ///
    /// - Throws: ``UnexpectedEnd`` if its status is not 0.
    @discardableResult
    package static func check(
        _ name: String, _ arguments: String..., environment: [String: String] = [:]
    ) throws -> Output {
        let output = try run(name, arguments, environment: environment)
        guard output.status == 0 else { throw UnexpectedEnd(program: name, arguments: arguments, output: output) }
        return output
    }

    /// Runs SQL on a file with SQLite's own shell.
    @discardableResult
    package static func sql(_ file: String, _ statement: String) throws -> Output {
        try run("sqlite3", ["-cmd", ".timeout 10000", file, statement])
    }
}
