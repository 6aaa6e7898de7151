internal import Replica
internal import Session

/// When a session looks at contents: the digest says of them only what they should be.
struct Scrubbing {
    private let isLive: Bool
    private var next: Moment?

    /// Some 40 ms of work, where a look at all contents is due.
    private static let slicesOnce = 20
    /// Some 10 ms: the least that a live session compares with each poll.
    static let slicesLiveMin = 5
    /// A poll lasts 50 s where nothing changes, and its answer takes a moment.
    static let liveInterval = Duration.seconds(60)
    /// Within this time a live session compares all contents. Together with the time from the end of one comparison to the beginning of
    /// the next (``Replica/scrubMilliseconds``) it stays below 24 h: that long an untracked write may go unnoticed.
    static let liveDuration = Duration.seconds(11 * 3600)
    /// The least that a slice covers of the bytes of a file: 500 records, or 256 KiB of contents.
    static let sliceBytesMin = 1 << 15
    /// The least time between two of them, however many changes come.
    private static let pause = Duration.seconds(10)

    init(_ mode: SyncMode) {
        isLive = if case .once = mode { false } else { true }
    }

    /// How many slices a live session compares with each poll, so that it has compared a whole file within ``liveDuration``.
    ///
    /// - Parameter bytes: Of the file.
    static func slicesLive(ofBytes bytes: Int) -> Int {
        let looks = Int(liveDuration / liveInterval)
        return max(slicesLiveMin, (bytes / sliceBytesMin + looks - 1) / looks)
    }

    /// Looks at some contents now and then, once both sides are known to hold the same.
    ///
    /// - Returns: Whether contents are damaged, so that everything is to be pulled anew.
    /// - Throws: ``ReplicaError`` with the code `corrupt` where the file has to be repaired (``Replica/repair(at:)``). The look counts as done.
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
