internal import Foundation
internal import Glibc
internal import Replica

/// The right to synchronise a replica: at most one process has it at a time.
///
/// A lock on a file beside the replica, which the system takes back when the process ends, however it ends.
package final class SyncLease: Sendable {
    private let descriptor: Int32

    private static func path(of replica: String) -> String { replica + "-sync" }

    /// Takes the lease; `nil` where another process has it.
    ///
    /// - Throws: `ReplicaError` with the code `diskFull` where the lock file cannot be opened.
    package init?(on replica: String) throws {
        let descriptor = open(Self.path(of: replica), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let reason = String(cString: strerror(errno))
            throw ReplicaError(
                .diskFull,
                "Cannot synchronise \"\(replica)\": its lock file \"\(Self.path(of: replica))\" cannot be opened (\(reason)). Check it and try again."
            )
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        // For people who ask who holds it.
        let text = Array("\(getpid())\n".utf8)
        ftruncate(descriptor, 0)
        _ = text.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }

    deinit {
        close(descriptor)
    }

    /// The process that holds a replica's lease; `nil` where none does.
    package static func holder(of replica: String) -> Int32? {
        let descriptor = open(path(of: replica), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        if flock(descriptor, LOCK_SH | LOCK_NB) == 0 { return nil }
        let text = try? String(contentsOfFile: path(of: replica), encoding: .utf8)
        return text.flatMap { Int32($0.trimmingCharacters(in: .whitespacesAndNewlines)) } ?? 0
    }
}
