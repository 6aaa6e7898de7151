internal import Foundation

/// The bytes of every file in a folder, to be restored in place repeatedly.
///
/// A restored file keeps its inode, so that a replica is not taken for a copy of itself.
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

    /// Restores every file and removes the files that were added since.
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

    /// Returns the files below the folder, without the logs of programs and the control page of injected faults.
    ///
    /// - Parameter all: `true` lists SQLite's shared memory too. It is never restored: SQLite creates it from the WAL.
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
