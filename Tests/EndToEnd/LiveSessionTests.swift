import Replica
import Roost
import TestProcesses
import Testing

/// Sessions in this process, with a server in a process of its own.
@Suite(.serialized) struct LiveSessionTests {
    @Test(.timeLimit(.minutes(10))) @MainActor func whatOneDeviceWritesIsToldOfAndShownOnTheOther() async throws {
        let stage = try Stage()
        let path = try stage.makeScope()
        let first = try Replica(opening: path)
        let second = try Replica(opening: stage.join(path, as: "b.roost"))
        let sessions = try [LiveSession(first), LiveSession(second)]
        let running = sessions.map { session in Task { await session.run() } }
        let (told, continuation) = AsyncStream.makeStream(of: [[Value]].self)
        let observation = second.observeRemoteChanges {
            if let rows = try? second.select("SELECT name FROM person") { continuation.yield(rows) }
        }
        let list = try FetchedResultsController<ManagedObject>(
            FetchRequest("Person", sortedBy: [.ascending("name")]), in: ObjectContext(try StoreCoordinator(second)))
        try list.performFetch()
        let context = ObjectContext(try StoreCoordinator(first))
        var steps = try list.updates().makeAsyncIterator()

        for (count, name) in ["Ana", "Bob"].enumerated() {
            try context.insert("Person").set("name", to: .string(name))
            try context.save()
            sessions[0].localChange()
            for await rows in told where rows.count > count {
                #expect(rows.count == count + 1)
                break
            }
            let step = try await steps.next(isolation: #isolation)
            #expect(step?.origins == [.synchronisation])
            #expect(step?.snapshot.rowCount == count + 1)
        }

        observation.cancel()
        for session in sessions { await session.stop() }
        for report in running { #expect(await report.value.notices == []) }
    }
}
