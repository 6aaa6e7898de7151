internal import Synchronization

/// The one true time of a simulation, and the clocks of its devices, which err.
final class VirtualClock: Sendable {
    /// 1 January 2026, in milliseconds since 1970.
    static let start: Int64 = 1_767_225_600_000

    private let elapsed = Atomic<Int64>(0)

    /// Milliseconds since the simulation began.
    var now: Int64 {
        get { elapsed.load(ordering: .relaxed) }
        set { elapsed.store(newValue, ordering: .relaxed) }
    }
}

/// What one device takes for the time.
final class DeviceClock: Sendable {
    private let clock: VirtualClock
    /// How much faster than it should, in millionths.
    private let drift: Int64
    private let offset: Atomic<Int64>

    init(_ clock: VirtualClock, driftMillionths drift: Int64, offset: Int64) {
        self.clock = clock
        self.drift = drift
        self.offset = Atomic(offset)
    }

    /// Milliseconds since 1970.
    var wall: Int64 {
        let now = clock.now
        return max(1, VirtualClock.start + now + now * drift / 1_000_000 + offset.load(ordering: .relaxed))
    }

    func jump(by milliseconds: Int64) { offset.add(milliseconds, ordering: .relaxed) }
}
