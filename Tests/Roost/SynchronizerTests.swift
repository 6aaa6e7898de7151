import Replica
import Roost
import RoostModel
import RoostProtocol
import Session
import TestLoopback
import Testing

/// The session over a real transport, at servers that are not there, or whose answers have no end.
@Suite struct SynchronizerTests {
    /// Each attempt is written down, which is noticed as a write to the file; another change waits unsealed all the time.
    @Test(.timeLimit(.minutes(2))) func noticeOfNothingNewEndsNoWait() async throws {
        let start = ContinuousClock.now
        let device = try JoinedDevice(.continuous(waitSeconds: 50), port: try LoopbackServer.unusedPort())
        let synchronizer = device.synchronizer
        try device.write("Ana")
        let running = Task { await synchronizer.run() }
        var wait: Duration?
        /// How long each wait was to last, and did, both from the start on.
        var waits: [(planned: Duration, actual: Duration)] = []
        for await state in device.states {
            guard case .offline(_, let retryAt, _) = state else { continue }
            if let retryAt {
                wait = wait ?? Moment(milliseconds: 0).duration(to: retryAt)
                // The first change is sealed by now, and has failed: this one waits behind it.
                if waits.isEmpty { try device.write("Bob") }
                await synchronizer.localChange()
            } else if let planned = wait {
                waits.append((planned, ContinuousClock.now - start))
                wait = nil
                if waits.count == 3 { break }
            }
        }
        await synchronizer.stop()
        _ = await running.value
        // The new change has brought the first attempt near, as it should.
        for (planned, actual) in waits.dropFirst() { #expect(actual >= planned) }
        await device.shutdown()
    }
}
