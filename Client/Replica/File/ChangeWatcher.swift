internal import Foundation
internal import Glibc

/// Tells when any process may have committed to a replica: its write-ahead log was written.
///
/// Watches the folder by inotify, so that a log that is made anew is noticed too; a look once a second stands by for file
/// systems that send no notices, whatever else is written in the folder.
package final class ChangeWatcher: Sendable {
    /// A commit is several writes to the log: after the first notice, this long is waited and then told once. A wake-up for
    /// each write would take processors from the work that writes.
    private static let gatheringMicroseconds: UInt32 = 5000
    private static let standByMilliseconds = 1000
    /// When it is told again after a notice: a log is written before the disk has it, and what is committed by that sends no notice.
    private static let laterMilliseconds = [15, 60, 240]

    /// The end of a pipe that closes when the watcher goes: the thread's turn to leave.
    private let farewell: FileHandle

    /// - Parameter changed: Called on a thread of its own; it may be called when nothing changed.
    package init(_ replica: String, _ changed: @escaping @Sendable () -> Void) {
        let file = URL(fileURLWithPath: replica)
        let log = Array((file.lastPathComponent + "-wal").utf8)
        let pipe = Pipe()
        farewell = pipe.fileHandleForWriting
        let leaving = pipe.fileHandleForReading
        let notices = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        let isWatching =
            notices >= 0
            && inotify_add_watch(notices, file.deletingLastPathComponent().path, UInt32(IN_MODIFY | IN_CREATE)) >= 0
        let thread = Thread {
            // A descriptor below zero is passed over by poll().
            var waits = [
                pollfd(fd: leaving.fileDescriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: isWatching ? notices : -1, events: Int16(POLLIN), revents: 0),
            ]
            let clock = ContinuousClock()
            var told = clock.now
            var later: [ContinuousClock.Instant] = []
            while true {
                let next = later.first ?? told.advanced(by: .milliseconds(Self.standByMilliseconds))
                let pause = clock.now.duration(to: next) / .milliseconds(1)
                let count = poll(&waits, 2, Int32(max(0, pause.rounded(.up))))
                if waits[0].revents != 0 || (count < 0 && errno != EINTR) { break }
                if count > 0 {
                    usleep(Self.gatheringMicroseconds)
                    if Self.drain(notices, naming: log) {
                        told = clock.now
                        later = Self.laterMilliseconds.map { told.advanced(by: .milliseconds($0)) }
                        changed()
                        continue
                    }
                }
                guard clock.now >= next else { continue }
                told = clock.now
                if !later.isEmpty { later.removeFirst() }
                changed()
            }
            if notices >= 0 { close(notices) }
            try? leaving.close()
        }
        thread.name = "roost.watch"
        thread.start()
    }

    deinit {
        try? farewell.close()
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
                    // Some were lost.
                    let mask = buffer.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
                    if mask & UInt32(IN_Q_OVERFLOW) != 0 { found = true }
                    let text = buffer[(offset + 16)..<(offset + 16 + length)].prefix { $0 != 0 }
                    if text.elementsEqual(name) { found = true }
                    offset += 16 + length
                }
            }
        }
        return found
    }
}
