internal import Foundation

/// Files that are readable by their owner only.
enum PrivateFile {
    /// Replaces a file atomically, or creates it. Its content is on the disk afterwards; its name may not be before the folder is
    /// synced.
    ///
    /// - Returns: `errno` of the failure, which leaves the file as it was; `nil` on success.
    static func replace(_ path: String, with text: String) -> Int32? {
        let next = "\(path).\(getpid())-\(UInt32.random(in: .min ... .max))"
        let descriptor = open(next, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return errno }
        let bytes = Array(text.utf8)
        let isWritten =
            fchmod(descriptor, 0o600) == 0 && write(descriptor, bytes, bytes.count) == bytes.count
            && fsync(descriptor) == 0
        let reason = errno
        close(descriptor)
        guard isWritten, rename(next, path) == 0 else {
            let failure = isWritten ? errno : reason
            unlink(next)
            return failure
        }
        return nil
    }
}
