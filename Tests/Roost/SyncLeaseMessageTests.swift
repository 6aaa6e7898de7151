import Replica
import Roost
import Session
import Testing

/// Calls that need the lease of a replica while a session of this program has it.
@Suite struct SyncLeaseMessageTests {
    @Test func theProgramIsNotCalledAnother() async throws {
        let device = try JoinedDevice(.once(attemptsMax: 1), port: 1)
        let session = try LiveSession(device.replica)
        let path = device.replica.path
        let calls: [(expected: String, call: () async throws -> Void)] = [
            (
                "Cannot synchronise \"\(path)\": this program does already. End its session first.",
                { _ = try LiveSession(device.replica) }
            ),
            (
                "This program keeps \"\(path)\" synchronised; its session sends and receives all changes.",
                { _ = try await device.replica.synchronise() }
            ),
            (
                "this program keeps \"\(path)\" synchronised. End its session first.",
                { try await device.replica.rotateToken() }
            ),
        ]
        for (expected, call) in calls {
            let error = await #expect(throws: RoostError.self) { try await call() }
            #expect(error?.code == .busy)
            #expect(error?.message.contains(expected) == true, "\(String(describing: error))")
        }
        withExtendedLifetime(session) {}
        await device.shutdown()
    }
}
