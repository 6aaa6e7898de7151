internal import Synchronization

/// The true time of a simulated run. The clocks of its devices deviate from it.
final class VirtualClock: Sendable {
    /// 1 January 2026, in milliseconds since 1970.
    static let start: Int64 = 1_767_225_600_000

    private static let dayMilliseconds: Int64 = 24 * 3600 * 1000

    private let elapsed = Atomic<Int64>(0)
    private let skipped = Atomic<Int64>(0)

    /// Milliseconds since the start of the run.
    var now: Int64 {
        get { elapsed.load(ordering: .relaxed) }
        set { elapsed.store(newValue, ordering: .relaxed) }
    }

    /// Milliseconds since 1970.
    var wall: Int64 { Self.start + now + skipped.load(ordering: .relaxed) }

    /// Lets days pass without events: every clock advances, and messages in transit stay so.
    func skip(days: Int) { skip(milliseconds: Int64(days) * Self.dayMilliseconds) }

    func skip(milliseconds: Int64) { skipped.add(milliseconds, ordering: .relaxed) }
}

/// The clock of one device.
final class DeviceClock: Sendable {
    private let clock: VirtualClock
    /// The excess of the clock's rate, in millionths.
    private let drift: Int64
    private let offset: Atomic<Int64>

    init(_ clock: VirtualClock, driftMillionths drift: Int64, offset: Int64) {
        self.clock = clock
        self.drift = drift
        self.offset = Atomic(offset)
    }

    /// Milliseconds since 1970.
    var wall: Int64 {
        max(1, clock.wall + clock.now * drift / 1_000_000 + offset.load(ordering: .relaxed))
    }

    func jump(by milliseconds: Int64) { offset.add(milliseconds, ordering: .relaxed) }

    /// Undoes all jumps.
    func setRight() { offset.store(0, ordering: .relaxed) }
}
