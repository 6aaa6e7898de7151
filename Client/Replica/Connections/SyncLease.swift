internal import CFile
internal import Foundation
internal import Glibc

/// The right to synchronise a replica. At most one process holds it at a time.
///
/// It consists of locks on a file alongside the replica. The system releases them when the process ends, however it ends. Asking
/// for the holder takes no lock.
package final class SyncLease: Sendable {
    /// The purpose of a lock, as the byte of the file that it covers.
    private enum Byte: Int64 {
        /// Synchronising.
        case synchronising = 0
        /// Checkpointing the WAL. The process that synchronises holds this lock, too.
        case checkpointing = 1
    }

    private let descriptor: Int32
    private let file: String
    private let number: FileNumber?

    /// The milliseconds within which a process completes a checkpoint of the WAL.
    private static let checkpointMilliseconds = 10_000

    private static func path(of replica: String) -> String { replica + "-sync" }

    /// Takes the lease; `nil` where another process holds it.
    ///
    /// - Throws: ``ReplicaError`` with the code `diskFull` where the lock file cannot be opened, or `busy` where another process
    ///   checkpoints the WAL and does not finish.
    package init?(on replica: String) throws {
        let descriptor = open(Self.path(of: replica), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            let reason = String(cString: strerror(errno))
            throw ReplicaError(
                .diskFull,
                "Cannot synchronise \"\(replica)\": its lock file \"\(Self.path(of: replica))\" cannot be opened (\(reason)). Check it and try again."
            )
        }
        guard cfile_lock(descriptor, Byte.synchronising.rawValue) == 0 else {
            Self.giveBack(descriptor)
            return nil
        }
        // A process that checkpoints the WAL without synchronising finishes in a moment.
        var attempt = 0
        while cfile_lock(descriptor, Byte.checkpointing.rawValue) != 0 {
            guard FileWaits.pause(before: attempt, most: Self.checkpointMilliseconds, for: replica) else {
                Self.giveBack(descriptor)
                throw ReplicaError(
                    .busy,
                    "Cannot synchronise \"\(replica)\": another program has been writing its log back for long. Let it finish, or end it, and try again."
                )
            }
            attempt += 1
        }
        self.descriptor = descriptor
        file = Self.path(of: replica)
        number = FileNumber(of: file)
        // The number tells readers of the file which process holds the lease. Its text has a fixed length, so that the file is
        // never truncated: some file systems would then write the file to the disk when it is closed.
        let number = "\(getpid())"
        let text = Array((number + String(repeating: " ", count: max(0, 20 - number.count)) + "\n").utf8)
        _ = text.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }

    deinit {
        Self.giveBack(descriptor)
    }

    /// Releases the locks at once, also while this process starts another one. The new process has the file open, too, until its
    /// program starts.
    private static func giveBack(_ descriptor: Int32) {
        _ = cfile_unlock(descriptor)
        close(descriptor)
    }

    /// Whether the lock file was removed or replaced: another process may hold the lease by now.
    package var isLost: Bool { number == nil || FileNumber(of: file) != number }

    /// Runs `body`, which only one process at a time may do with the WAL. Does nothing where another process synchronises or
    /// checkpoints.
    static func whileFree(on replica: String, _ body: () -> Void) {
        let descriptor = open(path(of: replica), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return }
        defer { giveBack(descriptor) }
        if cfile_lock(descriptor, Byte.checkpointing.rawValue) == 0 { body() }
    }

    /// Returns the number of the process that holds a replica's lease, or 0 where the file does not name it; `nil` where none
    /// holds it.
    package static func holder(of replica: String) -> Int32? {
        let descriptor = open(path(of: replica), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard cfile_is_locked(descriptor, Byte.synchronising.rawValue) != 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        let digits = bytes.prefix(max(0, count)).prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        return Int32(String(decoding: digits, as: UTF8.self)) ?? 0
    }
}
