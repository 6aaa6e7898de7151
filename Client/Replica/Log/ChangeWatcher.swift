internal import Foundation
internal import Glibc

/// Tells when any process may have committed to a replica: its write-ahead log was written, or somebody who knows says so.
///
/// Watches the folder by inotify, so that a log that is made anew is noticed too; a look once a second stands by for file
/// systems that send no notices, whatever else is written in the folder.
package final class ChangeWatcher: Sendable {
    /// A commit is several writes to the log: after the first notice, this long is waited and then told once. A wake-up for
    /// each write would take processors from the work that writes.
    private static let gatheringMilliseconds: Int32 = 5
    package static let standBy = Duration.seconds(1)
    /// When it is told again after a notice: a log is written before the disk has it, and what is committed by that sends no notice.
    private static let laterMilliseconds = [15, 60, 240]

    /// Writes to the log, and what moves, removes or replaces one of the files.
    private static let events = IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO

    /// An end of a pair of sockets: a byte in it asks for a look, and that it is closed wakes the thread to leave.
    private let bell: Int32

    /// - Parameters:
    ///   - standBy: How often it tells where there is no notice.
    ///   - changed: Called on a thread of its own; it may be called when nothing changed.
    package init(
        _ replica: String, standBy: Duration = standBy,
        _ changed: @escaping @Sendable () -> Void
    ) {
        let file = URL(fileURLWithPath: replica)
        let log = Array((file.lastPathComponent + "-wal").utf8)
        let others = ["", "-shm", "-sync", "-token"].map { Array((file.lastPathComponent + $0).utf8) }
        var ends: [Int32] = [-1, -1]
        socketpair(
            AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
        let (asked, bell) = (ends[0], ends[1])
        self.bell = bell
        let notices = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        let isWatching =
            notices >= 0
            && inotify_add_watch(notices, file.deletingLastPathComponent().path, UInt32(Self.events)) >= 0
        let thread = Thread { [weak self] in
            // A descriptor below zero is passed over by poll().
            var waits = [
                pollfd(fd: asked, events: Int16(POLLIN), revents: 0),
                pollfd(fd: isWatching ? notices : -1, events: Int16(POLLIN), revents: 0),
            ]
            let clock = ContinuousClock()
            var told = clock.now
            var later: [ContinuousClock.Instant] = []
            while true {
                let next = later.first ?? told.advanced(by: standBy)
                let pause = clock.now.duration(to: next) / .milliseconds(1)
                var count = poll(&waits, 2, Int32(max(0, pause.rounded(.up))))
                // Who asks for a look is not kept waiting.
                if count > 0, waits[0].revents == 0 { count = 1 + poll(&waits, 1, Self.gatheringMilliseconds) }
                if self == nil || (count < 0 && errno != EINTR) { break }
                let isAsked = count > 0 && waits[0].revents != 0
                if isAsked { Self.takeAll(from: asked) }
                let isWritten = count > 0 && Self.drain(notices, naming: log, orPlaceOf: others)
                if isWritten {
                    later = Self.laterMilliseconds.map { clock.now.advanced(by: .milliseconds($0)) }
                } else if !isAsked {
                    guard clock.now >= next else { continue }
                    if !later.isEmpty { later.removeFirst() }
                }
                told = clock.now
                changed()
            }
            if notices >= 0 { close(notices) }
            close(asked)
        }
        thread.name = "roost.watch"
        thread.start()
    }

    deinit { close(bell) }

    /// Tells at once, for who knows that something was committed.
    package func look() {
        var byte: UInt8 = 0
        // Where there is no room for it, others wait there already.
        _ = send(bell, &byte, 1, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
    }

    /// Reads all that asks for a look: one is enough for it.
    private static func takeAll(from descriptor: Int32) {
        withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 1) { buffer in
            while recv(descriptor, buffer.baseAddress, buffer.count, 0) > 0 {}
        }
    }

    /// Reads all notices that wait.
    ///
    /// - Returns: Whether one is about the file called `name`, or says that one called as in `others` was made, moved or removed.
    private static func drain(_ descriptor: Int32, naming name: [UInt8], orPlaceOf others: [[UInt8]]) -> Bool {
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
                    if mask != UInt32(IN_MODIFY), others.contains(where: { text.elementsEqual($0) }) { found = true }
                    offset += 16 + length
                }
            }
        }
        return found
    }
}
