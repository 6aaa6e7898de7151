internal import RoostService

/// The server's clock, which errs like those of devices.
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

    /// Returns the time that a client sends; `nil` for half of the clients, whose version sends none.
    func time(of message: Message) -> UInt64? {
        message.device.isMultiple(of: 2) ? UInt64(devices[message.device].clock.wall) : nil
    }

    func readServerClock() {
        _ = server.service?.now
        checks.clockBound.read(UInt64(server.clock.wall))
    }

    /// Lets days pass in which nothing happens, except that a running server reads its clock.
    func letPass(days: Int) {
        for _ in 0..<days {
            clock.skip(days: 1)
            readServerClock()
        }
    }

    /// Confirms the clock as the operator of a server with a right clock does.
    func acceptServerClock() throws {
        guard server.clock.wall <= clock.wall + Self.dayMilliseconds, let store = server.store else { return }
        _ = try SyncService.acceptClock(in: store, now: UInt64(server.clock.wall))
    }

    /// Accepts the greatest reading as the operator does after a manual restore of a server whose clock had jumped. Devices
    /// that have seen that time can then push (decision 214).
    func acceptShownTime() throws {
        guard counts[.serverClockJump] > 0, let store = server.store else { return }
        try SyncService.acceptReading(checks.clockBound.highest, in: store)
        counts[.readingAccepted] += 1
    }
}
