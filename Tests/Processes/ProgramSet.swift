package import Foundation

/// The programs of one build: those beside the tests, or those of another commit.
///
///     let earlier = ProgramSet(folder: URL(filePath: "/tmp/earlier"), title: "earlier")
///     try earlier.check("roost", "status", file)
package struct ProgramSet: Hashable, Sendable {
    /// The folder of the programs; `nil` for those that were built with the tests.
    private let folder: URL?
    /// A word for reports, such as "earlier".
    package let title: String

    package init(folder: URL, title: String) {
        self.folder = folder
        self.title = title
    }

    private init() {
        folder = nil
        title = "built"
    }

    /// The programs that were built with the tests.
    package static let built = ProgramSet()

    /// The name under which ``Programs`` and ``RunningProgram`` find a program of this set.
    package func name(_ program: String) -> String { folder?.appending(path: program).path ?? program }

    /// `true` if every one of `programs` can be run.
    package func has(_ programs: [String]) -> Bool {
        programs.allSatisfy { FileManager.default.isExecutableFile(atPath: Programs.url(name($0)).path) }
    }

    /// Runs a program to its end.
    @discardableResult
    package func run(
        _ program: String, _ arguments: [String], environment: [String: String] = [:]
    ) throws -> Programs.Output {
        try Programs.run(name(program), arguments, environment: environment)
    }

    /// Runs a program that must succeed.
    ///
    /// - Throws: ``UnexpectedEnd`` if its status is not 0.
    @discardableResult
    package func check(
        _ program: String, _ arguments: String..., environment: [String: String] = [:]
    ) throws -> Programs.Output {
        try check(program, arguments, environment: environment)
    }

    /// Runs a program that must succeed, with a list of arguments.
    ///
    /// - Throws: ``UnexpectedEnd`` if its status is not 0.
    @discardableResult
    package func check(
        _ program: String, _ arguments: [String], environment: [String: String] = [:]
    ) throws -> Programs.Output {
        let output = try run(program, arguments, environment: environment)
        guard output.status == 0 else {
            throw UnexpectedEnd(program: name(program), arguments: arguments, output: output)
        }
        return output
    }
}
