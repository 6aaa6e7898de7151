import Replica
import Roost
import RoostModel
import RoostProtocol
import Session
import TestLoopback
import Testing

/// The session over a real transport, with unreachable servers, or servers whose answers do not end.
@Suite struct SynchronizerTests {
    /// Each attempt is recorded in the file, which the watch reports as a write. Another change is pending and unsealed all the time.
    @Test(.timeLimit(.minutes(2))) func noticeOfNothingNewEndsNoWait() async throws {
        let start = ContinuousClock.now
        let device = try JoinedDevice(.continuous(waitSeconds: 50), port: try LoopbackServer.unusedPort())
        let synchronizer = device.synchronizer
        try device.write("Ana")
        let running = Task { await synchronizer.run() }
        var wait: Duration?
        /// The planned and the actual end of each wait, from the start on.
        var waits: [(planned: Duration, actual: Duration)] = []
        var isWrittenAgain = false
        for await state in device.states {
            guard case .offline(_, let retryAt, _) = state else { continue }
            if let retryAt {
                wait = wait ?? Moment(milliseconds: 0).duration(to: retryAt)
                // The first change is sealed by now, and has failed. This one is pending behind it.
                if !isWrittenAgain { try device.write("Bob") }
                isWrittenAgain = true
                await synchronizer.localChange()
            } else if let planned = wait {
                waits.append((planned, ContinuousClock.now - start))
                wait = nil
                if waits.count == 4 { break }
            }
        }
        await synchronizer.stop()
        _ = await running.value
        // The new change has moved the first attempt forward, as it should, or the second if this task observed the first one late.
        for (planned, actual) in waits.dropFirst(2) { #expect(actual >= planned) }
        await device.shutdown()
    }

    /// The names of devices are requested concurrently with the session and must not delay its end. The request may take two minutes.
    @Test(.timeLimit(.minutes(1))) func stopWaitsForNoAnswer() async throws {
        let server = try LoopbackServer { _, connection in
            connection.trickle()
            return .close
        }
        defer { server.close() }
        let device = try JoinedDevice(.continuous(waitSeconds: 50), port: server.port)
        let synchronizer = device.synchronizer
        let running = Task { await synchronizer.run() }
        for await request in server.arrivals where request.line.contains("/v1/devices") { break }
        await synchronizer.stop()
        #expect(await running.value.isRequested)
        await device.shutdown()
    }

    @Test(.timeLimit(.minutes(1))) func reportDoesNotWaitLongForNames() async throws {
        let page = PullReply(
            records: [], checkpoint: Checkpoint(bytes: [1]), hasMore: false, digest: ScopeDigest(), schemaVersion: 1,
            serverTime: 0
        ).protobuf()
        let server = try LoopbackServer { request, connection in
            guard request.line.contains("/v1/pull") else {
                connection.trickle()
                return .close
            }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(page.count)\r\n\r\n")
            connection.send(page)
            return .keep
        }
        defer { server.close() }
        let device = try JoinedDevice(.once(attemptsMax: 3), port: server.port)
        let report = await device.synchronizer.run()
        #expect(report.isUpToDate, "\(report)")
        await device.shutdown()
    }
}
