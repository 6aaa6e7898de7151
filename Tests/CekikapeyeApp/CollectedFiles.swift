import Foundation

/// The folder of sample exports next to the repository.
enum CollectedFiles {
    private static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "shared/data")

    static var arePresent: Bool { FileManager.default.fileExists(atPath: folder.path) }

    static func bytes(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appending(path: path)))
    }
}
