import Foundation
import TestProcesses
import Testing

/// Runs the blocks of a recipe in a folder, as a reader of the page does.
struct RecipeRunner {
    let folder: URL

    /// Runs the blocks in order. A block of the language `text` is the output of the block before it.
    ///
    /// - Throws: ``UnexpectedEnd`` with the page and line of a block that fails.
    func run(_ recipe: Recipe) throws {
        var printed = ""
        for block in recipe.blocks {
            let location = "\(recipe.page):\(block.line)"
            if block.language == "text" {
                #expect(printed == block.text, "\(location)")
            } else if let name = block.fileName {
                try write(block.text, to: name)
            } else {
                let output = try run(block)
                guard output.status == 0 else { throw UnexpectedEnd(program: location, output: output) }
                // Programs that write CSV end lines with CR and LF, which a terminal shows as one line end.
                printed = output.standard.replacingOccurrences(of: "\r\n", with: "\n")
            }
        }
    }

    private func write(_ text: String, to name: String) throws {
        let file = folder.appending(path: name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private func run(_ block: RecipeBlock) throws -> Programs.Output {
        switch block.language {
        case "sh":
            return try run("bash", ["-euo", "pipefail", "-c", try onFreePort(block.text)])
        case "sql":
            return try run("sqlite3", ["-bail", "-batch", "-cmd", ".timeout 10000", "ana.roost"], input: block.text)
        case "python":
            return try run("python", ["-"], input: block.text)
        case "js":
            return try run("node", ["--input-type=module", "-"], input: block.text)
        default:
            throw UnknownLanguage(name: block.language)
        }
    }

    /// Runs a program for at most 2 minutes: no block may hang.
    private func run(_ program: String, _ arguments: [String], input: String? = nil) throws -> Programs.Output {
        try Programs.run(
            "timeout", ["120", program] + arguments, input: input,
            environment: ["PATH": Self.path, "HOME": folder.path], in: folder)
    }

    /// The folders of Roost's programs, of the programs that `scripts/setup --tests` installs, and of all others.
    private static let path = [
        Programs.url("roost").deletingLastPathComponent().path, Python.folder,
        ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
    ].joined(separator: ":")

    /// Replaces the port that the pages use by a free one.
    private func onFreePort(_ script: String) throws -> String {
        guard script.contains("8081") else { return script }
        let bind = "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); print(s.getsockname()[1])"
        let port = try run("python", ["-c", bind]).lines.first ?? "8081"
        return script.replacing("8081", with: port)
    }
}

/// A block in a language that the tests cannot run.
private struct UnknownLanguage: Error {
    let name: String
}
