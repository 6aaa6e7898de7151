internal import Roost
internal import RoostModel
internal import RoostProtocol
internal import Session

/// An editor whose stamps are as far ahead as the server accepts.
extension Simulation {
    private static let rounds = 6
    private static let hoursOfARound = 4
    private static let minuteMilliseconds: Int64 = 60_000

    /// Makes the editor push at the bound of the server's clock every four hours for a day, in some rounds beyond it, while
    /// others edit.
    ///
    /// No device may be locked out. A session that may not push is a violation anyhow (``ended(_:_:)``). A device must have
    /// pushed its changes unless another fault prevents it.
    func editAtBound(_ editor: SimulatedDevice) async throws {
        checks.clockBound.dayPassed()
        for round in 0..<Self.rounds {
            // The server runs, and reads its clock every minute.
            for _ in 0..<Self.hoursOfARound * 60 {
                clock.skip(milliseconds: Self.minuteMilliseconds)
                readServerClock()
            }
            try stampAtBound(editor, beyond: round % 3 == 2)
            try write(editor, .library)
            try await synchronise(editor)
            guard let other = devices.filter({ $0 !== editor }).randomElement(using: &random) else { continue }
            let opened = other.replica
            // The other device pulls the stamps at the bound, and edits after them.
            try await synchronise(other)
            try write(other, .library)
            try await synchronise(other)
            // A device that died meanwhile is open again, without a session.
            if other.replica === opened { try checkPushed(other) }
        }
    }

    /// Sets the device's clock so that its next changes get the last stamps that the server accepts.
    private func stampAtBound(_ device: SimulatedDevice, beyond isBeyond: Bool) throws {
        guard device.isOpen, !device.isRetired else { return }
        let bound = checks.clockBound.highest + server.limits.clockAheadMillisecondsMax
        let reading = (isBeyond ? bound + 3_600_000 : bound) << 16 | 0xFFF0
        do {
            _ = try device.run {
                try device.plainConnection().transaction([
                    "UPDATE roost_control SET reading = max(reading, \(reading)) WHERE one = 1"
                ])
            }
        } catch {
            if device.disk.isDead { return try crash(device) }
            guard device.hasDiskFault else { throw error }
        }
    }

    private func synchronise(_ device: SimulatedDevice) async throws {
        try startSession(device, .once(attemptsMax: 3))
        let end = clock.now + Self.minuteMilliseconds
        repeat {
            try await pass(until: min(end, clock.now + 500))
        } while device.driver != nil && !device.isContinuous && clock.now < end
    }

    /// Checks that a device has pushed everything, unless another fault prevents it.
    private func checkPushed(_ device: SimulatedDevice) throws {
        guard device.isOpen, !device.isRetired, !device.disk.isDead else { return }
        try look(at: device)
        if device.view.outbox.isEmpty {
            counts[.pushedBesideBound] += 1
        } else if isUndisturbed(device) {
            throw Violation(.clockBound, "replica \(device.index) cannot push beside an editor at the bound")
        }
    }

    private func isUndisturbed(_ device: SimulatedDevice) -> Bool {
        conditions.requestLoss == 0 && conditions.replyLoss == 0 && device.link == .up && device.uplink == nil
            && device.driver == nil && !device.hasDiskFault && server.isRunning && !server.hasDiskFault
            && !isServerEmpty
            && clock.now >= pausedUntil
    }
}
