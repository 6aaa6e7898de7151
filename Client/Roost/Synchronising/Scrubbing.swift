internal import Replica
internal import Session

/// When a session looks at contents: the digest says of them only what they should be.
struct Scrubbing {
    /// How many slices in a row: a session that goes on comes again.
    private let slicesAtOnce: Int
    private var next: Moment?

    /// Some 40 ms of work, where a look at all contents is due.
    private static let slicesOnce = 20
    /// Some 10 ms, so that a live session compares some millions of records within a day though it seldom has anything else to do.
    private static let slicesLive = 5
    /// The least time between two of them, however many changes come.
    private static let pause = Duration.seconds(10)

    init(_ mode: SyncMode) {
        slicesAtOnce = if case .once = mode { Self.slicesOnce } else { Self.slicesLive }
    }

    /// Looks at some contents now and then, once both sides are known to hold the same.
    ///
    /// - Returns: Whether contents are damaged, so that everything is to be pulled anew.
    /// - Throws: ``ReplicaError`` with the code `corrupt` where the file has to be repaired (``Replica/repair(at:)``). The look counts as done.
    mutating func findsDamage(in replica: Replica, at now: Moment) throws -> Bool {
        if let next, now < next { return false }
        next = now.advanced(by: Self.pause)
        for _ in 0..<slicesAtOnce {
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
