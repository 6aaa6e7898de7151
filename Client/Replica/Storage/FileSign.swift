internal import Foundation

/// A signature of the file at a path. Two are equal where the file was not created, removed, replaced or written in between.
package struct FileSign: Hashable, Sendable {
    private var numbers: [Int]?

    /// Reads the signature of a file.
    ///
    /// - Parameter path: The path of the file, which need not exist.
    package init(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return }
        numbers = [
            Int(truncatingIfNeeded: status.st_dev), Int(truncatingIfNeeded: status.st_ino), Int(status.st_size),
            status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
        ]
    }
}
