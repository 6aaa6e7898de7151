internal import Foundation
internal import Glibc

/// A file that is read and written as a whole.
enum DocumentFile {
    /// The identity, size and last modification of a file, which tell whether it changed since it was last read or written.
    struct Mark: Hashable {
        let inode: UInt64
        let bytes: Int64
        let seconds: Int
        let nanoseconds: Int
    }

    /// Reads a file in full.
    ///
    /// - Returns: `nil` where the file does not exist.
    /// - Throws: ``ObjectError`` with the code `store`.
    static func read(_ path: String) throws -> [UInt8]? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        do {
            return Array(try Data(contentsOf: URL(filePath: path)))
        } catch {
            throw ObjectError(.store, "Cannot read the document \"\(path)\": \(error). Check it and try again.")
        }
    }

    static func mark(_ path: String) -> Mark? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Mark(
            inode: UInt64(status.st_ino), bytes: Int64(status.st_size), seconds: status.st_mtim.tv_sec,
            nanoseconds: status.st_mtim.tv_nsec)
    }

    /// Replaces or creates a file atomically: after a crash it has either its old or its new content.
    ///
    /// The new content is on disk when the call returns. Where the folder cannot be synchronised, the old content may return
    /// after a power loss. An existing file keeps its permissions; a new file is accessible to its owner only.
    ///
    /// - Throws: ``ObjectError`` with the code `store`; the file is unchanged.
    static func replace(_ path: String, with bytes: [UInt8]) throws {
        let target = URL(filePath: path).resolvingSymlinksInPath().path
        let folder = (target as NSString).deletingLastPathComponent
        let name = (target as NSString).lastPathComponent
        let aside = "\(folder.isEmpty ? "." : folder)/.\(name).\(UUID().uuidString.prefix(8))"
        do {
            let permissions = (try? FileManager.default.attributesOfItem(atPath: target))?[.posixPermissions]
            guard
                FileManager.default.createFile(
                    atPath: aside, contents: nil, attributes: [.posixPermissions: permissions ?? 0o600])
            else { throw failure(path, "the folder is missing or not writable") }
            let handle = try FileHandle(forWritingTo: URL(filePath: aside))
            try handle.write(contentsOf: bytes)
            try handle.synchronize()
            try handle.close()
            guard rename(aside, target) == 0 else { throw failure(path, String(cString: strerror(errno))) }
        } catch {
            try? FileManager.default.removeItem(atPath: aside)
            throw error as? ObjectError ?? failure(path, "\(error)")
        }
        // The rename is durable once the folder is synchronised.
        if let folder = try? FileHandle(forReadingFrom: URL(filePath: folder.isEmpty ? "." : folder)) {
            try? folder.synchronize()
            try? folder.close()
        }
    }

    private static func failure(_ path: String, _ reason: String) -> ObjectError {
        ObjectError(
            .store,
            "Cannot write the document \"\(path)\": \(reason). Make room or choose another place, and save again.")
    }
}
