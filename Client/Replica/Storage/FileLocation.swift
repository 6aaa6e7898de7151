internal import Foundation
internal import GRDB
internal import Synchronization

/// The device and inode number of a file, which do not depend on the file's name.
package struct FileNumber: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    /// Reads the number of the file at `path`; `nil` where there is none.
    package init?(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }

    /// Whether `path` leads to a regular file, and not to a folder, a pipe or a device; `nil` where nothing exists.
    static func isFile(_ path: String) -> Bool? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & S_IFMT == S_IFREG : nil
    }

    /// Returns the number of names of the file at `path`; 1 where there is none.
    static func names(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_nlink) : 1
    }

    /// Returns a warning where a file has several names (hard links); `nil` where it has one.
    package static func notice(names: Int) -> String? {
        names <= 1
            ? nil
            : "The file has \(names) names (hard links). Programs that open it by different names do not see each other's changes, and "
                + "damage it. Remove the other names."
    }
}

/// The result of comparing the files of an open replica with those at its path.
package enum FileFate: Hashable, Sendable {
    /// The path leads to the open file.
    case inPlace
    /// The path leads to no file: the replica was moved or removed.
    case gone
    /// The path leads to another file.
    case replaced
    /// The file's write-ahead log was removed or replaced. Other programs write to another log.
    case logReplaced
    /// The index of the log was removed or replaced. Other programs share another index, and this process would overwrite their
    /// commits.
    case logIndexReplaced
    /// The lock file was removed or replaced. Another program may synchronise the replica concurrently.
    case lockReplaced
    /// The token file contains another token than the one in use, because a user has restored an earlier token file.
    case tokenReplaced

    /// A message for users that says what follows.
    package var words: String {
        switch self {
        case .inPlace: "The replica file is in its place."
        case .gone: "The replica file was moved or removed. It is opened again once there is one at its path."
        case .replaced: "The replica file was replaced by another one. That one is opened instead."
        case .logReplaced: "The log of the replica file (-wal) was removed or replaced. The file is opened again."
        case .logIndexReplaced:
            "The index of the replica file's log (-shm) was removed or replaced. The file is opened again."
        case .lockReplaced: "The lock of the replica file (-sync) was removed or replaced. The file is opened again."
        case .tokenReplaced: "The token file (-token) holds another token. The file is opened again."
        }
    }
}

/// The numbers of the files that a replica has open.
final class FileLocation: Sendable {
    /// The path with which the replica was opened, perhaps a symbolic link.
    private let path: String
    /// The path with symbolic links resolved.
    private let target: String
    private let file: FileNumber?
    /// The numbers of the log and of its index. Those of a log that is switched on later are recorded from then on.
    private let log = Mutex<(file: FileNumber?, index: FileNumber?)>((nil, nil))

    /// Records the number of the file. Must be called before the file is opened, so that a replacement in between is noticed.
    init(_ path: String, target: String) {
        self.path = URL(fileURLWithPath: path).path
        self.target = target
        file = FileNumber(of: path)
    }

    var fate: FileFate {
        guard let current = FileNumber(of: path) else {
            // A folder that cannot be searched, or a disk that does not respond, does not show that the file is gone.
            return errno == ENOENT || errno == ENOTDIR ? .gone : .inPlace
        }
        guard current == file else { return .replaced }
        let found = (file: FileNumber(of: target + "-wal"), index: FileNumber(of: target + "-shm"))
        return log.withLock { log in
            defer { log = (log.file ?? found.file, log.index ?? found.index) }
            if let known = log.file, known != found.file { return .logReplaced }
            if let known = log.index, known != found.index { return .logIndexReplaced }
            return .inPlace
        }
    }

    /// Whether a log that is not empty exists at the path. Where the fate is ``FileFate/logReplaced``, it is not the open log.
    var hasOtherLog: Bool {
        var status = stat()
        return stat(target + "-wal", &status) == 0 && status.st_size > 0
    }
}
