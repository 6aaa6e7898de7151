internal import Foundation

/// Tells whether a file was made, removed, replaced or written.
package struct FileSign: Hashable, Sendable {
    private var numbers: [Int]?

    /// - Parameter path: Leads to the file, or to none.
    package init(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return }
        numbers = [
            Int(truncatingIfNeeded: status.st_dev), Int(truncatingIfNeeded: status.st_ino), Int(status.st_size),
            status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
        ]
    }
}
