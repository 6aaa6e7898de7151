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

    /// A program by its absolute path, or by its name: in the folder that `ROOST_TEST_PROGRAMS` names, next to the tests, or in `PATH`.
    package static func url(_ name: String) -> URL {
        if name.hasPrefix("/") { return URL(filePath: name) }
        let environment = ProcessInfo.processInfo.environment
        let folders: [String] =
            [environment["ROOST_TEST_PROGRAMS"], folder.path].compactMap(\.self)
            + (environment["PATH"] ?? "").split(separator: ":").map { String($0) }
        return folders.map { URL(filePath: $0).appending(path: name) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) } ?? folder.appending(path: name)
    }

    /// Runs a program to its end.
    @discardableResult
    package static func run(
        _ name: String, _ arguments: [String], input: String? = nil, environment: [String: String] = [:],
        in directory: URL? = nil
    ) throws -> Output {
        // Files, not pipes: no output is too large for them.
        let scratch = FileManager.default.temporaryDirectory.appending(path: "roost-run-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: scratch) }
        let files = ["in", "out", "err"].map { scratch.appending(path: $0) }
        if let input { try Data(input.utf8).write(to: files[0]) }
        let end = try ChildProcess(
            url(name), arguments, environment: environment, in: directory,
            input: input == nil ? .nothing : .reading(files[0]), output: .writing(files[1]), error: .writing(files[2])
        ).wait()
        func text(_ file: URL) throws -> String { String(decoding: try Data(contentsOf: file), as: UTF8.self) }
        return Output(
            status: end.status, standard: try text(files[1]), error: try text(files[2]), isSignalled: end.isSignalled)
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
