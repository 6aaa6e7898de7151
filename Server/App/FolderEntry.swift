internal import Foundation

/// Changes of names in a folder that survive a power loss.
enum FolderEntry {
    /// The reason why a name could not be changed.
    struct Failure: Error {
        let reason: String
    }

    /// Renames a file, and replaces an existing file of that name.
    static func rename(_ from: String, to: String) throws(Failure) {
        guard Foundation.rename(from, to) == 0 else { throw failure(to) }
        try flushFolder(of: to)
    }

    /// Gives a file a second name, which must be free.
    static func link(_ from: String, to: String) throws(Failure) {
        guard Foundation.link(from, to) == 0 else { throw failure(to) }
        try flushFolder(of: to)
    }

    private static func flushFolder(of path: String) throws(Failure) {
        let name = (path as NSString).deletingLastPathComponent
        let folder = open(name.isEmpty ? "." : name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw failure(name) }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw failure(name) }
    }

    private static func failure(_ path: String) -> Failure {
        Failure(reason: "\"\(path)\": \(String(cString: strerror(errno)))")
    }
}
