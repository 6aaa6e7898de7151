internal import RoostService

/// The server's clock, which errs as those of devices do.
extension Simulation {
    static let dayMilliseconds: Int64 = 24 * 3600 * 1000

    func jumpServer(by milliseconds: Int64) {
        readServerClock()
        server.clock.jump(by: milliseconds)
        if (0...Self.dayMilliseconds).contains(milliseconds) { serverLead += milliseconds }
        readServerClock()
        counts[.serverClockJump] += 1
        trace.note("\(clock.now) the server's clock jumps by \(milliseconds) ms")
    }

    /// The time that a client sends; half of them are of a version that sends none.
    func time(of message: Message) -> UInt64? {
        message.device.isMultiple(of: 2) ? UInt64(devices[message.device].clock.wall) : nil
    }

    func readServerClock() {
        _ = server.service?.now
        checks.clockBound.read(UInt64(server.clock.wall))
    }

    /// Days in which nothing happens but that a running server reads its clock.
    func letPass(days: Int) {
        for _ in 0..<days {
            clock.skip(days: 1)
            readServerClock()
        }
    }

    /// The operator of a server whose clock is right confirms that.
    func acceptServerClock() throws {
        guard server.clock.wall <= clock.wall + Self.dayMilliseconds, let store = server.store else { return }
        _ = try SyncService.acceptClock(in: store, now: UInt64(server.clock.wall))
    }

    /// The operator of a server whose clock has jumped, and whose copy was put back by hand, lets the devices in that have seen the time which
    /// its clock has shown (decision 214).
    func acceptShownTime() throws {
        guard counts[.serverClockJump] > 0, let store = server.store else { return }
        try SyncService.acceptReading(checks.clockBound.highest, in: store)
        counts[.readingAccepted] += 1
    }
}
