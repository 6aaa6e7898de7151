import Foundation

/// The files of this repository.
enum SourceFiles {
    static let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: top.appending(path: path)), as: UTF8.self)
    }

    /// Returns the texts of all Swift sources in a folder and its subfolders.
    static func swift(under folder: String) throws -> [String] {
        try paths(under: folder, endingIn: ".swift").map(text)
    }

    /// Returns the paths of the files in a folder and its subfolders, relative to the repository's top.
    static func paths(under folder: String, endingIn suffix: String) -> [String] {
        let names =
            FileManager.default.enumerator(atPath: top.appending(path: folder).path)?
            .compactMap { $0 as? String } ?? []
        return names.sorted().filter { $0.hasSuffix(suffix) }.map { "\(folder)/\($0)" }
    }
}
