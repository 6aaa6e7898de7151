import Foundation

/// The files of this repository.
enum SourceFiles {
    static let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: top.appending(path: path)), as: UTF8.self)
    }

    /// All Swift sources below a folder.
    static func swift(under folder: String) throws -> [String] {
        let names =
            FileManager.default.enumerator(atPath: top.appending(path: folder).path)?
            .compactMap { $0 as? String } ?? []
        return try names.sorted().filter { $0.hasSuffix(".swift") }.map { try text("\(folder)/\($0)") }
    }
}
