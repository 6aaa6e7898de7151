internal import Foundation

/// The bytes of every file in a folder, to be put back in place again and again.
///
/// A file that is put back keeps its inode, so that a replica is not taken for a copy of itself.
struct FolderImage: Sendable {
    private let folder: URL
    private let files: [String: Data]

    /// Reads the folder. No program may have its files open.
    init(of folder: URL) throws {
        self.folder = folder
        files = try Dictionary(
            uniqueKeysWithValues: Self.paths(in: folder).map { path in
                (path, try Data(contentsOf: folder.appending(path: path)))
            })
    }

    /// Puts every file back and removes the files that have come since.
    func restore() throws {
        for path in try Self.paths(in: folder, all: true) where files[path] == nil {
            try FileManager.default.removeItem(at: folder.appending(path: path))
        }
        for (path, data) in files {
            let descriptor = open(folder.appending(path: path).path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            guard descriptor >= 0 else { throw SocketError(text: "cannot write \(path): errno \(errno)") }
            let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            try handle.write(contentsOf: data)
            try handle.close()
        }
    }

    /// Files below the folder, without the logs of programs and the control page of injected faults.
    ///
    /// - Parameter all: `true` lists SQLite's shared memory too. It is never put back: SQLite makes it from the log.
    private static func paths(in folder: URL, all: Bool = false) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { path in
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.appending(path: path).path)
            let isFile = attributes[.type] as? FileAttributeType == .typeRegular
            let isLeftAlone =
                path.hasSuffix(".log") || path.hasSuffix(".log.in") || path.contains("faults-")
                || (!all && path.hasSuffix("-shm"))
            return isFile && !isLeftAlone
        }
    }
}
