internal import Replica
internal import Session

/// The schedule by which a session compares contents with their hashes. The digest only covers the hashes.
struct Scrubbing {
    private let isLive: Bool
    private var next: Moment?

    /// Some 40 ms of work, where a scan of all contents is due.
    private static let slicesOnce = 20
    /// Some 10 ms of work: the minimum that a live session compares with each poll.
    static let slicesLiveMin = 5
    /// A poll lasts 50 s where nothing changes, and its answer takes a moment.
    static let liveInterval = Duration.seconds(60)
    /// Time within which a live session compares all contents. Together with the pause before the next comparison
    /// (``Replica/scrubMilliseconds``) it is less than 24 h, the time for which an untracked write may be undetected.
    static let liveDuration = Duration.seconds(11 * 3600)
    /// The minimum bytes of a slice: 500 records, or 256 KiB of contents.
    static let sliceBytesMin = 1 << 15
    /// The minimum time between two slices, however many changes come.
    private static let pause = Duration.seconds(10)

    init(_ mode: SyncMode) {
        isLive = if case .once = mode { false } else { true }
    }

    /// The number of slices that a live session compares with each poll, to compare a whole file within ``liveDuration``.
    ///
    /// - Parameter bytes: The size of the file.
    static func slicesLive(ofBytes bytes: Int) -> Int {
        let looks = Int(liveDuration / liveInterval)
        return max(slicesLiveMin, (bytes / sliceBytesMin + looks - 1) / looks)
    }

    /// Scans some contents now and then, once the digests match.
    ///
    /// - Returns: Whether contents are corrupt, so that a full resynchronisation is required.
    /// - Throws: ``ReplicaError`` with the code `corrupt` where the file has to be repaired (``Replica/repair(at:)``). The scan counts as
    ///   done.
    mutating func findsDamage(in replica: Replica, at now: Moment) throws -> Bool {
        if let next, now < next { return false }
        next = now.advanced(by: Self.pause)
        let count = isLive ? Self.slicesLive(ofBytes: try replica.bytesInUse()) : Self.slicesOnce
        for _ in 0..<count {
            switch try replica.scrub() {
            case .damaged: return true
            case .more: continue
            case .sound: return false
            case .unreadable(let reason): throw ReplicaError(.corrupt, reason)
            }
        }
        return false
    }
}
