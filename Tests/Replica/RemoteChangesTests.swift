import GRDB
import Replica
import RoostModel
import RoostProtocol
import Synchronization
import TestScope
import Testing

/// An observer of remote changes is notified as soon as they are readable, and of nothing else.
@Suite struct RemoteChangesTests {
    private let ana: TemporaryReplica
    private let bob: TemporaryReplica
    private let scope = MemoryScope()

    init() throws {
        ana = try TemporaryReplica(TemporaryReplica.people, id: 1)
        bob = try TemporaryReplica(TemporaryReplica.people, id: 2)
    }

    /// Returns the records that Ana has written and the server has.
    private func written(_ names: [String]) throws -> [RecordState] {
        for name in names { try ana.sql("INSERT INTO person(name) VALUES ('\(name)')") }
        try scope.push(ana.replica)
        return scope.states.values.sorted { $0.key < $1.key }
    }

    @Test func anyConnectionReadsWhatIsToldOf() throws {
        let counts = Mutex<[Int?]>([])
        let observation = bob.replica.observeRemoteChanges { [plain = bob.plain] in
            let count = try? plain.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM person") }
            counts.withLock { $0.append(count) }
        }
        defer { observation.cancel() }
        _ = try bob.replica.apply(try written(["Ana", "Zoe"]), checkpoint: [1], serverTime: nil)
        #expect(counts.withLock { $0 } == [2])
    }

    @Test func pagesThatFollowOneAnotherAreOne() throws {
        let count = Mutex(0)
        let observation = bob.replica.observeRemoteChanges { count.withLock { $0 += 1 } }
        defer { observation.cancel() }
        let states = try written(["Ana", "Zoe"])
        _ = try bob.replica.apply([states[0]], checkpoint: [1], serverTime: nil, isLast: false)
        #expect(count.withLock { $0 } == 0)
        _ = try bob.replica.apply([states[1]], checkpoint: [2], serverTime: nil)
        #expect(count.withLock { $0 } == 1)
    }

    @Test func anAnswerWithNothingIsNotToldOf() throws {
        let states = try written(["Ana"])
        _ = try bob.replica.apply(states, checkpoint: [1], serverTime: nil)
        let count = Mutex(0)
        let observation = bob.replica.observeRemoteChanges { count.withLock { $0 += 1 } }
        defer { observation.cancel() }
        _ = try bob.replica.apply([], checkpoint: [1], serverTime: 5)
        #expect(count.withLock { $0 } == 0)
    }

    /// A page that starts at another checkpoint than the replica's leaves the replica unchanged.
    @Test func aPageThatWasOvertakenIsNotToldOf() throws {
        let count = Mutex(0)
        let observation = bob.replica.observeRemoteChanges { count.withLock { $0 += 1 } }
        defer { observation.cancel() }
        let states = try written(["Ana"])
        _ = try bob.replica.apply(states, since: .checkpoint([9]), checkpoint: [1], serverTime: nil)
        #expect(count.withLock { $0 } == 0)
        #expect(try bob.count("SELECT count(*) FROM person") == 0)
    }

    @Test func whatTheServerTakesIsNotToldOfAndWhatItRefusesIs() throws {
        let count = Mutex(0)
        let observation = ana.replica.observeRemoteChanges { count.withLock { $0 += 1 } }
        defer { observation.cancel() }
        try ana.sql("INSERT INTO person(name) VALUES ('Ana')")
        try scope.push(ana.replica)
        #expect(count.withLock { $0 } == 0)
        try ana.sql("INSERT INTO person(name) VALUES ('Zoe')")
        try scope.push(ana.replica) { _ in ("not wanted", true) }
        #expect(count.withLock { $0 } == 1)
        #expect(try ana.count("SELECT count(*) FROM person") == 1)
    }

    /// The pages after a non-final one may have only this device's own records, which are not sent. The last page is then
    /// empty, and comes with the reply to a push.
    @Test func pagesThatEndWithTheReplyToAPushAreToldOf() throws {
        let states = try written(["Ana"])
        let count = Mutex(0)
        let observation = bob.replica.observeRemoteChanges { count.withLock { $0 += 1 } }
        defer { observation.cancel() }
        func push(_ number: UInt64, _ name: String) throws {
            try bob.sql("INSERT INTO person(name) VALUES ('\(name)')")
            try bob.replica.sealPushes(limits: scope.limits)
            let page = EmptyPage(since: [UInt8(number)], checkpoint: [UInt8(number) + 1], serverTime: 0)
            let done = try bob.replica.acknowledge(number, [.stored], current: [], with: page)
            #expect(done.page != nil)
        }
        _ = try bob.replica.apply(states, checkpoint: [1], serverTime: nil, isLast: false)
        #expect(count.withLock { $0 } == 0)
        try push(1, "Bob")
        #expect(count.withLock { $0 } == 1)
        // The next reply brings nothing new.
        try push(2, "Bea")
        #expect(count.withLock { $0 } == 1)
    }

    @Test func whatIsSetAsideIsToldOf() throws {
        try ana.sql("INSERT INTO person(name) VALUES ('Ana')")
        try ana.replica.sealPushes(limits: scope.limits)
        let counts = Mutex<[Int?]>([])
        let observation = ana.replica.observeRemoteChanges { [plain = ana.plain] in
            let count = try? plain.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM person") }
            counts.withLock { $0.append(count) }
        }
        defer { observation.cancel() }
        #expect(try ana.replica.setAside(1, reason: "not wanted") == 1)
        #expect(counts.withLock { $0 } == [0])
    }

    @Test func whoHasLeftIsNotTold() throws {
        let counts = Mutex([0, 0])
        var first: RemoteChangeObservation? = bob.replica.observeRemoteChanges { counts.withLock { $0[0] += 1 } }
        let second = bob.replica.observeRemoteChanges { counts.withLock { $0[1] += 1 } }
        let states = try written(["Ana", "Zoe", "Mia"])
        _ = try bob.replica.apply([states[0]], checkpoint: [1], serverTime: nil)
        _ = first
        first = nil
        _ = try bob.replica.apply([states[1]], checkpoint: [2], serverTime: nil)
        second.cancel()
        _ = try bob.replica.apply([states[2]], checkpoint: [3], serverTime: nil)
        #expect(counts.withLock { $0 } == [1, 2])
    }

    /// An observer may own another observation.
    @Test(.timeLimit(.minutes(1))) func anObservationMayEndAnother() throws {
        let count = Mutex(0)
        var outer: RemoteChangeObservation?
        do {
            let inner = bob.replica.observeRemoteChanges { count.withLock { $0 += 1 } }
            outer = bob.replica.observeRemoteChanges { withExtendedLifetime(inner) {} }
        }
        let states = try written(["Ana", "Zoe"])
        _ = try bob.replica.apply([states[0]], checkpoint: [1], serverTime: nil)
        outer?.cancel()
        outer = nil
        _ = try bob.replica.apply([states[1]], checkpoint: [2], serverTime: nil)
        #expect(count.withLock { $0 } == 1)
    }

    /// An observer that wants a single notification cancels its observation inside it.
    @Test func anObservationMayEndItself() throws {
        let observation = Mutex<RemoteChangeObservation?>(nil)
        let count = Mutex(0)
        let begun = bob.replica.observeRemoteChanges {
            count.withLock { $0 += 1 }
            observation.withLock { $0 }?.cancel()
        }
        observation.withLock { $0 = begun }
        let states = try written(["Ana", "Zoe"])
        _ = try bob.replica.apply([states[0]], checkpoint: [1], serverTime: nil)
        _ = try bob.replica.apply([states[1]], checkpoint: [2], serverTime: nil)
        #expect(count.withLock { $0 } == 1)
    }
}
