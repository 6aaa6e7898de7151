internal import CFile
internal import Foundation
internal import Glibc

/// The right to synchronise a replica: at most one process has it at a time.
///
/// Locks on a file beside the replica, which the system takes back when the process ends, however it ends. Asking who has it
/// takes nothing.
package final class SyncLease: Sendable {
    /// What a lock is for.
    private enum Byte: Int64 {
        /// Synchronising.
        case synchronising = 0
        /// Copying the write-ahead log back into the file; who synchronises has this too.
        case checkpointing = 1
    }

    private let descriptor: Int32
    private let file: String
    private let number: FileNumber?

    /// Milliseconds within which a process that copies the log back is done.
    private static let checkpointMilliseconds = 10_000

    private static func path(of replica: String) -> String { replica + "-sync" }

    /// Takes the lease; `nil` where another process has it.
    ///
    /// - Throws: ``ReplicaError`` with the code `diskFull` where the lock file cannot be opened, or `busy` where another process copies
    ///   the log back and does not come to an end.
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
        // A process that copies the log back without synchronising is done in a moment.
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
        // For people who ask who holds it; always as long, so that the file is never cut: some file systems would then write it
        // to the disk when it is closed.
        let number = "\(getpid())"
        let text = Array((number + String(repeating: " ", count: max(0, 20 - number.count)) + "\n").utf8)
        _ = text.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }

    deinit {
        Self.giveBack(descriptor)
    }

    /// Gives the locks back at once, even where this process is just starting another one, which has the file open too until
    /// its program begins.
    private static func giveBack(_ descriptor: Int32) {
        _ = cfile_unlock(descriptor)
        close(descriptor)
    }

    /// Whether the lock file was removed or replaced: another process may have the lease by now.
    package var isLost: Bool { number == nil || FileNumber(of: file) != number }

    /// Does something that only one process may do at a time with the write-ahead log, unless another one synchronises or
    /// does the same: then nothing is done.
    static func whileFree(on replica: String, _ body: () -> Void) {
        let descriptor = open(path(of: replica), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return }
        defer { giveBack(descriptor) }
        if cfile_lock(descriptor, Byte.checkpointing.rawValue) == 0 { body() }
    }

    /// The process that holds a replica's lease; `nil` where none does.
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
