import Foundation
import Observation
import Replica
import Roost
import RoostModel
import TestProcesses
import Testing

/// The states of live sessions, with a server in a process of its own. The article "Synchronising" shows two blocks of it.
@Suite(.serialized) struct SessionStateTests {
    private let stage: Stage
    private let path: String
    private let replica: Replica

    /// Makes a replica of a scope with no records.
    init() throws {
        stage = try Stage()
        path = try stage.makeScope()
        replica = try Replica(opening: path)
    }

    private func add(_ name: String, to replica: Replica) throws {
        try replica.write("add \(name)") {
            try $0.put("Person", id: RecordID(derivedFrom: [name]), ["name": .string(name)])
        }
    }

    @Test(.timeLimit(.minutes(5))) func syncedWaitsForBothDirections() async throws {
        let second = try Replica(opening: stage.join(path, as: "b.roost"))
        try add("Ana", to: replica)
        let session = try LiveSession(replica) { state in print(state) }
        let running = Task { await session.run() }
        try await session.synced()
        #expect(try replica.status().waiting == 0)
        let other = try LiveSession(second)
        let alsoRunning = Task { await other.run() }
        for number in 1...20 {
            try add("\(number)", to: replica)
            try await session.synced()
            try await other.synced()
            #expect(try second.select("SELECT count(*) FROM person") == [[.integer(Int64(number + 1))]])
        }
        #expect(session.state == .upToDate && !session.state.isImpeded && session.state.reason == nil)
        for session in [session, other] { await session.stop() }
        for report in await [running.value, alsoRunning.value] { #expect(report.isRequested) }
        #expect(session.state == .notRunning)
    }

    /// A session that starts later, and a server that is away, are waited for.
    @Test(.timeLimit(.minutes(5))) func syncedOutlastsAServerThatIsAway() async throws {
        let session = try LiveSession(replica)
        let early = Task { try await session.synced() }
        let running = Task { await session.run() }
        try await early.value
        stage.server?.kill()
        try add("Ana", to: replica)
        for await state in session.states() { if case .offline = state { break } }
        #expect(session.state.isImpeded && session.state.reason != nil)
        let waiting = Task { try await session.synced() }
        try stage.startServer()
        await session.wake()
        try await waiting.value
        #expect(try replica.status().waiting == 0)
        await session.stop()
        _ = await running.value
    }

    @Test(.timeLimit(.minutes(5))) func syncedSaysThatLocalChangesAreBlocked() async throws {
        let viewer = try Replica(opening: stage.join(path, as: "viewer.roost", role: "viewer"))
        try add("Bob", to: viewer)
        let session = try LiveSession(viewer)
        let running = Task { await session.run() }
        let error = await #expect(throws: RoostError.self) { try await session.synced() }
        #expect(error?.code == .blocked, "\(String(describing: error))")
        await session.stop()
        _ = await running.value
    }

    @Test(.timeLimit(.minutes(5))) func syncedSaysThatTheSessionHasEnded() async throws {
        let session = try LiveSession(replica)
        let running = Task { await session.run() }
        try await session.synced()
        await session.stop()
        _ = await running.value
        let error = await #expect(throws: RoostError.self) { try await session.synced() }
        #expect(error?.code == .sessionEnded)
        let message = error?.message ?? ""
        #expect(message.hasSuffix("its session has ended: stopped on request."), "\(message)")
        var states: [SessionState] = []
        for await state in session.states() { states.append(state) }
        #expect(states == [.notRunning])
    }

    @Test(.timeLimit(.minutes(5))) func syncedEndsWithItsTask() async throws {
        let session = try LiveSession(replica)
        let waiting = Task { try await session.synced() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    // MARK: The status for views

    /// Waits until a status fulfils a condition.
    @MainActor private func wait(
        for status: SyncStatus, until condition: @escaping @MainActor (SyncStatus) -> Bool
    ) async {
        while !condition(status) {
            await withCheckedContinuation { continuation in
                withObservationTracking {
                    _ = condition(status)
                } onChange: {
                    continuation.resume()
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(5))) @MainActor func aStatusIsObserved() async throws {
        let session = try LiveSession(replica)
        let running = Task { await session.run() }
        let status = SyncStatus(session)
        let following = Task { await status.follow() }
        await wait(for: status) { $0.state == .upToDate && $0.lastContact != nil }
        #expect(status.waiting == 0)
        stage.server?.kill()
        try add("Ana", to: replica)
        await wait(for: status) { $0.state.isImpeded && $0.waiting == 1 }
        // A change of another program, while the state stays as it is.
        try Programs.check("sqlite3", "-cmd", ".timeout 10000", path, "insert into person(name) values ('Bob')")
        await wait(for: status) { $0.waiting == 2 }
        try stage.startServer()
        await session.wake()
        await wait(for: status) { $0.state == .upToDate && $0.waiting == 0 }
        await session.stop()
        _ = await running.value
        await following.value
    }
}
