import RoostMerge
import Testing

@Suite struct HybridClockTests {
    private static let limit: UInt64 = 5 * 60 * 1000

    @Test(
        arguments: [
            // last, offset, wall, reading
            ("wall ahead", 1000 << 16 | 7, 0, 1001, 1001 << 16),
            ("wall equal", 1000 << 16 | 7, 0, 1000, 1000 << 16 | 8),
            ("wall behind", 1000 << 16 | 7, 0, 10, 1000 << 16 | 8), ("first reading", 0, 0, 1000, 1000 << 16),
            ("counter full", 1000 << 16 | 0xFFFF, 0, 1000, 1001 << 16), ("offset added", 0, 250, 1000, 1250 << 16),
            ("offset taken off", 0, -250, 1000, 750 << 16), ("below 1970", 5, -2000, 1000, 6),
            ("wall beyond the greatest", 0, 0, .max, (1 << 47 - 1 << 40) << 16),
            ("offset out of range", 0, .max, 1000, (1 << 47 - 1 << 40) << 16),
        ] as [(String, UInt64, Int64, UInt64, UInt64)])
    func tickGives(name: String, last: UInt64, offset: Int64, wall: UInt64, reading: UInt64) {
        var clock = HybridClock(last: last, offsetMilliseconds: offset)
        #expect(clock.tick(wall: wall) == reading)
        #expect(clock.last == reading)
    }

    @Test func readingsOnlyGrowWhateverTheWallSays() {
        var clock = HybridClock()
        let readings = [5000, 5000, 100, 5001, 4000, 9000].map { clock.tick(wall: $0) }
        #expect(zip(readings, readings.dropFirst()).allSatisfy(<))
    }

    @Test func receivedReadingIsBeatenByTheNextTick() {
        var clock = HybridClock(last: 1000 << 16)
        clock.receive(9_000_000 << 16 | 3)
        #expect(clock.tick(wall: 1001) == 9_000_000 << 16 | 4)
    }

    @Test func olderReadingIsNotTakenOver() {
        var clock = HybridClock(last: 1000 << 16)
        clock.receive(999 << 16)
        #expect(clock.last == 1000 << 16)
    }

    @Test func offsetIsTheServersClockMinusOurs() {
        var clock = HybridClock()
        clock.learn(server: 5000, wall: 2000)
        #expect(clock.offsetMilliseconds == 3000)
        #expect(clock.tick(wall: 2100) == 5100 << 16)
        clock.learn(server: 1000, wall: 2000)
        #expect(clock.offsetMilliseconds == -1000)
    }

    @Test func absurdServerTimeDoesNotTrap() {
        var clock = HybridClock()
        clock.learn(server: .max, wall: 0)
        #expect(clock.tick(wall: 2000) == 0x7F00_0000_0000_0000)
    }

    @Test(arguments: [(0, false), (1, true)] as [(UInt64, Bool)])
    func stampIsAheadPastTheLimitOnly(beyond: UInt64, isAhead: Bool) {
        let server: UInt64 = 1_784_021_400_000
        let time = (server + Self.limit + beyond) << 16 | 0xFFFF
        #expect(HybridClock.isAhead(time, server: server, limitMilliseconds: Self.limit) == isAhead)
    }
}
