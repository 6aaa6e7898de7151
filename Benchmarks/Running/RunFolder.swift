import Foundation

/// A new folder for the files of one run.
struct RunFolder {
    let url = FileManager.default.temporaryDirectory.appending(path: "roost-bench-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    func remove() { try? FileManager.default.removeItem(at: url) }
}
