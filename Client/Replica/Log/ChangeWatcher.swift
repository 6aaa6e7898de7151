internal import Foundation
internal import Glibc

/// A watcher that notifies when any process may have committed to a replica: the WAL was written, or a caller of ``look()``
/// reports a commit.
///
/// The watcher observes the folder by inotify, so that it also notices a WAL that is created again. A fallback poll once a second
/// covers file systems that send no notices. Writes to other files of the folder do not delay it.
package final class ChangeWatcher: Sendable {
    /// The milliseconds from the first notice to the notification. A commit consists of several writes to the WAL, and a wake-up
    /// for each would take processor time from the work that writes.
    private static let gatheringMilliseconds: Int32 = 5
    /// The default interval of the fallback poll.
    package static let standBy = Duration.seconds(1)
    /// The milliseconds after a notice at which the watcher notifies again. The WAL is written before it is stored on the disk,
    /// and the commit that completes with that sends no notice.
    private static let laterMilliseconds = [15, 60, 240]

    /// The events of inotify for writes to the WAL, and for moving, removing or replacing one of the files.
    private static let events = IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO

    /// One end of a pair of sockets. A byte in it requests a check, and closing it makes the thread exit.
    private let bell: Int32

    /// Starts watching a replica.
    ///
    /// - Parameters:
    ///   - standBy: The interval of notifications without a notice.
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
            // poll() ignores a negative descriptor.
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
                // A request for a check does not wait for further writes.
                if count > 0, waits[0].revents == 0 { count = 1 + poll(&waits, 1, Self.gatheringMilliseconds) }
                if self == nil || (count < 0 && errno != EINTR) { break }
                let isAsked = count > 0 && waits[0].revents != 0
                if isAsked { Self.drain(from: asked) }
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

    /// Notifies at once, for a caller that has observed a commit.
    package func look() {
        var byte: UInt8 = 0
        // Where the socket has no room for the byte, earlier requests are pending.
        _ = send(bell, &byte, 1, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
    }

    /// Reads all pending requests: one check answers them.
    private static func drain(from descriptor: Int32) {
        withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 1) { buffer in
            while recv(descriptor, buffer.baseAddress, buffer.count, 0) > 0 {}
        }
    }

    /// Reads all pending notices.
    ///
    /// - Returns: Whether a notice concerns the file called `name`, or reports that a file called as in `others` was created,
    ///   moved or removed. Also `true` where notices were lost.
    private static func drain(_ descriptor: Int32, naming name: [UInt8], orPlaceOf others: [[UInt8]]) -> Bool {
        var found = false
        withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 8) { buffer in
            while case let count = read(descriptor, buffer.baseAddress, buffer.count), count > 0 {
                var offset = 0
                // struct inotify_event: watch, mask, cookie, length of the name; then the name, padded with zeros.
                while offset + 16 <= count {
                    let length = Int(buffer.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
                    guard offset + 16 + length <= count else { break }
                    // Notices were lost.
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
