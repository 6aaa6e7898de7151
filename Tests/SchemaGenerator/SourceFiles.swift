import Foundation

/// The files of this repository.
enum SourceFiles {
    static let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: top.appending(path: path)), as: UTF8.self)
    }
}
