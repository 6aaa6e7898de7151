import RoostModel
import RoostService
import Testing

@Suite struct WaiterTests {
    private let replica = ReplicaID(rawValue: 1)
    private let scope = ScopeKey(1)

    @Test func wakeBeforeTheWaitIsNotLost() async {
        let waiter = Waiter()
        waiter.wake(.news)
        #expect(await waiter.wait() == .news)
    }

    @Test(arguments: [Waiter.Wake.revoked, .stopping, .timeUp, .closed, .schema])
    func newsNeverHidesWhatEndsThePull(wake: Waiter.Wake) async {
        let waiter = Waiter()
        waiter.wake(.news)
        waiter.wake(wake)
        waiter.wake(.news)
        #expect(await waiter.wait() == wake)
    }

    @Test func replicaMayWaitOnlySoOften() {
        let room = WaitingRoom(perReplicaMax: 1)
        let first = room.enter(replica, in: scope)
        #expect(first != nil)
        #expect(room.enter(replica, in: scope) == nil)
        #expect(room.enter(replica, in: ScopeKey(2)) != nil)
        if let first { room.leave(first, replica, in: scope) }
        #expect(room.enter(replica, in: scope) != nil)
    }

    @Test func closedRoomEndsEveryWaitAndThoseToCome() async throws {
        let room = WaitingRoom(perReplicaMax: 2)
        let before = try #require(room.enter(replica, in: scope))
        room.close()
        let after = try #require(room.enter(replica, in: scope))
        #expect(await before.wait() == .stopping)
        #expect(await after.wait() == .stopping)
    }

    @Test func otherScopesSleepOn() async throws {
        let room = WaitingRoom(perReplicaMax: 2)
        let other = try #require(room.enter(replica, in: ScopeKey(2)))
        room.wake(scope, .news)
        // An expired wait would hide the news.
        #expect(!other.isWoken)
        other.wake(.timeUp)
        #expect(await other.wait() == .timeUp)
    }
}
