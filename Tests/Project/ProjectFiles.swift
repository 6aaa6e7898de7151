import Foundation

/// The files of this repository, as text.
enum ProjectFiles {
    struct File: Sendable, CustomStringConvertible {
        /// The path relative to the repository's root.
        let path: String
        let lines: [Substring]

        var description: String { path }
    }

    static let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static func all(under folders: [String], endingIn suffix: String) -> [File] {
        folders.flatMap { folder -> [File] in
            let url = top.appending(path: folder)
            let names = FileManager.default.enumerator(atPath: url.path)?.compactMap { $0 as? String } ?? []
            return names.sorted().filter { $0.hasSuffix(suffix) && !$0.hasPrefix(".") && !$0.contains("/.") }.map {
                read("\(folder)/\($0)")
            }
        }
    }

    static func read(_ path: String) -> File {
        let text = (try? String(contentsOf: top.appending(path: path), encoding: .utf8)) ?? ""
        return File(path: path, lines: text.split(separator: "\n", omittingEmptySubsequences: false))
    }

    static let sources = all(under: ["Sources", "Client", "Server"], endingIn: ".swift")
    static let swift = sources + all(under: ["Tests", "Benchmarks", "Examples"], endingIn: ".swift")
    static let scripts = all(under: ["scripts"], endingIn: "")
    static let documents =
        ["README.md", "protocol.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "Sources/README.md"].map(read)
        + all(under: ["Docs", "Examples", "Client/Roost/Roost.docc"], endingIn: ".md")
}
