internal import Foundation
internal import Synchronization

/// The first failure to write the output of a command, kept until the command ends.
final class OutputFault: Sendable {
    private let first = Mutex<Int32?>(nil)

    /// The reason why the output is incomplete; `nil` if all of it was written.
    var reason: String? { first.withLock { $0 }.map { String(cString: strerror($0)) } }

    /// Writes a text to a descriptor, and records the first failure.
    ///
    /// Neither a reader that has exited, as in `| head`, nor an output that was closed from the start is a failure.
    func write(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if errno != EINTR && errno != EAGAIN {
                let code = errno
                guard code != EPIPE && code != EBADF else { return }
                return first.withLock { $0 = $0 ?? code }
            }
        }
    }
}
