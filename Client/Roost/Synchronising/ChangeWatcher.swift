internal import Dispatch
internal import Foundation
internal import Glibc

/// Tells when any process may have committed to a replica: its write-ahead log was written.
///
/// Watches the folder by inotify, so that a log that is made anew is noticed too; a look once a second stands by for file
/// systems that send no notices.
package final class ChangeWatcher {
    private let descriptor: Int32
    private let sources: [any DispatchSourceProtocol]

    /// - Parameter changed: Called on a queue of its own; it may be called when nothing changed.
    package init(_ replica: String, _ changed: @escaping @Sendable () -> Void) {
        let file = URL(fileURLWithPath: replica)
        let log = Array((file.lastPathComponent + "-wal").utf8)
        let queue = DispatchQueue(label: "roost.watch")
        let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        self.descriptor = descriptor
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + 1, repeating: 1, leeway: .milliseconds(100))
        timer.setEventHandler(handler: DispatchWorkItem(block: changed))
        timer.activate()
        guard descriptor >= 0,
            inotify_add_watch(descriptor, file.deletingLastPathComponent().path, UInt32(IN_MODIFY | IN_CREATE)) >= 0
        else {
            sources = [timer]
            return
        }
        let notices = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        notices.setEventHandler(
            handler: DispatchWorkItem {
                if Self.drain(descriptor, naming: log) { changed() }
            })
        notices.setCancelHandler(handler: DispatchWorkItem { close(descriptor) })
        notices.activate()
        sources = [timer, notices]
    }

    deinit {
        for source in sources { source.cancel() }
        // Without a source, nobody else closes it.
        if sources.count == 1, descriptor >= 0 { close(descriptor) }
    }

    /// Reads all notices that wait.
    ///
    /// - Returns: Whether one is about the file called `name`.
    private static func drain(_ descriptor: Int32, naming name: [UInt8]) -> Bool {
        var found = false
        withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 8) { buffer in
            while case let count = read(descriptor, buffer.baseAddress, buffer.count), count > 0 {
                var offset = 0
                // struct inotify_event: watch, mask, cookie, length of the name; then the name, filled up with zeros.
                while offset + 16 <= count {
                    let length = Int(buffer.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
                    guard offset + 16 + length <= count else { break }
                    let text = buffer[(offset + 16)..<(offset + 16 + length)].prefix { $0 != 0 }
                    if text.elementsEqual(name) { found = true }
                    offset += 16 + length
                }
            }
        }
        return found
    }
}
