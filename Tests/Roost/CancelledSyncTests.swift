import Foundation
import Roost
import Session
import TestLoopback
import Testing

/// A synchronisation whose task is cancelled.
@Suite struct CancelledSyncTests {
    @Test(.timeLimit(.minutes(5))) func cancellingEndsAWaitForTheServer() async throws {
        // The server never completes an answer.
        let server = try LoopbackServer { _, connection in
            connection.trickle()
            return .close
        }
        defer { server.close() }
        let device = try JoinedDevice(.once(attemptsMax: 1), port: server.port)
        try device.write("Ana")
        let replica = device.replica
        let (states, continuation) = AsyncStream.makeStream(of: SessionState.self)
        let running = Task { try await replica.synchronise { continuation.yield($0) } }
        for await state in states where state == .pushing || state == .pulling { break }
        running.cancel()
        let report = try await running.value
        #expect(report.isRequested && !report.isUpToDate && report.isTemporary, "\(report)")
        #expect(try replica.status().waiting == 1)
        // The lease is free again.
        _ = try LiveSession(replica)
        await device.shutdown()
    }

    @Test(.timeLimit(.minutes(5))) func aCancelledTaskSynchronisesNothing() async throws {
        let device = try JoinedDevice(.once(attemptsMax: 1), port: 1)
        let replica = device.replica
        let running = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await replica.synchronise()
        }
        running.cancel()
        let report = try await running.value
        #expect(report.isRequested && report.pushed == 0, "\(report)")
        await device.shutdown()
    }

    /// The task of a session is one of several in a group, as in a program that ends all of them together.
    @Test(.timeLimit(.minutes(5)), arguments: [true, false])
    func aCancelledTaskEndsItsSession(isEarly: Bool) async throws {
        // No server listens.
        let device = try JoinedDevice(.once(attemptsMax: 1), port: 1)
        try device.write("Ana")
        let replica = device.replica
        let session = try LiveSession(replica)
        let running = Task {
            while isEarly, !Task.isCancelled { await Task.yield() }
            return await session.run()
        }
        if !isEarly {
            for await state in session.states() where state.reason != nil { break }
        }
        running.cancel()
        let report = await running.value
        #expect(report.isRequested && !report.isUpToDate, "\(report)")
        #expect(try replica.status().waiting == 1)
        await device.shutdown()
    }
}
