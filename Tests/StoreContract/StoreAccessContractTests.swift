import RoostModel
import RoostProtocol
import RoostService
import Testing

/// The behaviour of every store that the service relies on, for members, tokens, invites and answers.
@Suite struct StoreAccessContractTests {
    private static func make(_ kind: StoreKind) throws -> (any Store, ScopeKey) {
        let store = try kind.make()
        let scope = StoredScope(id: ScopeID(RecordID(high: 7, low: 1)), name: "Lisbon", epoch: 1, schemaVersion: 1)
        return (store, try store.write { try $0.insert(scope, schema: "") })
    }

    private static func replica(_ number: UInt64, in scope: ScopeKey, created: UInt64 = 5) -> StoredReplica {
        StoredReplica(
            id: ReplicaID(rawValue: number), scope: scope, name: "Ana's é", role: .editor, created: created, lastSeen: 6
        )
    }

    private static func hash(_ byte: UInt8) -> TokenHash { TokenHash(bytes: [UInt8](repeating: byte, count: 32)) }

    @Test(arguments: StoreKind.allCases)
    func replicaIsUpdatedInPlace(kind: StoreKind) throws {
        let (store, scope) = try Self.make(kind)
        var replica = Self.replica(.max, in: scope)
        try store.write { try $0.insert(replica) }
        replica.isRevoked = true
        replica.role = .owner
        replica.cursor = .max
        replica.pulled = 1_800_000_000_000
        try store.write { try $0.update(replica) }
        #expect(try store.read { try $0.replica(replica.id, in: scope) } == replica)
        #expect(try store.read { try $0.replica(replica.id, in: ScopeKey(99)) } == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func replicaThatNeverPulledHasNoCursor(kind: StoreKind) throws {
        let (store, scope) = try Self.make(kind)
        var replica = Self.replica(5, in: scope)
        try store.write { try $0.insert(replica) }
        #expect(try store.read { try $0.replica(replica.id, in: scope)?.cursor } == nil)
        replica.cursor = 0
        try store.write { try $0.update(replica) }
        #expect(try store.read { try $0.replica(replica.id, in: scope)?.cursor } == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func replicasAreListedOldestFirst(kind: StoreKind) throws {
        let (store, scope) = try Self.make(kind)
        try store.write { transaction in
            for number: UInt64 in [1, 2, 3] {
                try transaction.insert(Self.replica(number, in: scope, created: 10 + number))
            }
        }
        #expect(try store.read { try $0.replicas(of: scope).map(\.id.rawValue) } == [1, 2, 3])
    }

    @Test(arguments: StoreKind.allCases)
    func progressBeginsAtNothing(kind: StoreKind) throws {
        let (store, scope) = try Self.make(kind)
        #expect(try store.read { try $0.progress(of: ReplicaID(rawValue: 1), in: scope) } == StoredProgress())
    }

    @Test(arguments: StoreKind.allCases)
    func progressComesBackAsStored(kind: StoreKind) throws {
        let (store, scope) = try Self.make(kind)
        var progress = StoredProgress()
        progress.number = 9
        progress.hash = [1]
        progress.reply = [2, 3]
        progress.stamp = .max
        progress.continuation = .refused
        try store.write { try $0.update(progress, of: ReplicaID(rawValue: 1), in: scope) }
        #expect(try store.read { try $0.progress(of: ReplicaID(rawValue: 1), in: scope) } == progress)
    }

    @Test(arguments: StoreKind.allCases)
    func stagedPartsComeInOrderAndGoTogether(kind: StoreKind) throws {
        let (store, scope) = try Self.make(kind)
        let replica = ReplicaID(rawValue: 1)
        let parts = (0..<3).map { StagedPart(ordinal: $0, changes: 1, bytes: 2, body: [UInt8($0)]) }
        try store.write { transaction in
            for part in parts { try transaction.stage(part, of: replica, in: scope) }
        }
        #expect(try store.read { try $0.stagedParts(of: replica, in: scope) } == parts)
        try store.write { try $0.removeStagedParts(of: replica, in: scope) }
        #expect(try store.read { try $0.stagedParts(of: replica, in: scope) } == [])
    }

    @Test(arguments: StoreKind.allCases)
    func tokensDieAndAreRemovedByState(kind: StoreKind) throws {
        let (store, scope) = try Self.make(kind)
        let replica = ReplicaID(rawValue: 1)
        try store.write { transaction in
            let states: [StoredToken.State] = [.current, .retiring, .fresh]
            for (index, state) in states.enumerated() {
                try transaction.put(
                    StoredToken(hash: Self.hash(UInt8(index)), scope: scope, replica: replica, state: state, until: 9))
            }
            try transaction.retireTokens(of: replica, in: scope)
            try transaction.removeTokens(of: replica, in: scope, where: .fresh)
        }
        #expect(try store.read { try $0.token(Self.hash(0))?.state } == .dead)
        #expect(try store.read { try $0.token(Self.hash(1))?.state } == .dead)
        #expect(try store.read { try $0.token(Self.hash(2)) } == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func inviteIsReplacedByItsHash(kind: StoreKind) throws {
        let (store, scope) = try Self.make(kind)
        var invite = StoredInvite(
            hash: Self.hash(1), scope: scope, id: "a1", role: .viewer, expires: 100, usesLeft: 2, created: 1,
            creator: ReplicaID(rawValue: .max))
        try store.write { try $0.put(invite) }
        invite.usesLeft = 1
        try store.write { try $0.put(invite) }
        #expect(try store.read { try $0.invite(Self.hash(1)) } == invite)
        #expect(try store.read { try $0.invites(of: scope) } == [invite])
        try store.write { try $0.removeInvite(invite.hash) }
        #expect(try store.read { try $0.invites(of: scope) }.isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func aRenewalNamesItsDevice(kind: StoreKind) throws {
        let (store, scope) = try Self.make(kind)
        let renewed = StoredReplica(
            id: ReplicaID(rawValue: 3), scope: scope, name: "x", role: .viewer, created: 1, lastSeen: 1,
            device: ReplicaID(rawValue: .max), inviter: ReplicaID(rawValue: 5))
        try store.write { try $0.insert(renewed) }
        #expect(try store.read { try $0.replica(renewed.id, in: scope) } == renewed)
        #expect(try store.read { try $0.stagedBytes(in: scope) } == 0)
        try store.write { transaction in
            for number in 0..<3 {
                let part = StagedPart(ordinal: number, changes: 1, bytes: 1, body: [UInt8](repeating: 1, count: 10))
                try transaction.stage(part, of: renewed.id, in: scope)
            }
        }
        #expect(try store.read { try $0.stagedBytes(in: scope) } == 30)
        #expect(try store.read { try $0.stagedBytes(in: ScopeKey(99)) } == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func oldAnswersAreRemoved(kind: StoreKind) throws {
        let (store, scope) = try Self.make(kind)
        let answers = [10, 20].map { time in
            StoredAnswer(
                key: [UInt8(time)], scope: scope, replica: ReplicaID(rawValue: 3), created: UInt64(time))
        }
        try store.write { transaction in
            for answer in answers { try transaction.put(answer) }
            try transaction.removeAnswers(before: 20)
        }
        #expect(try store.read { try $0.answer([10]) } == nil)
        #expect(try store.read { try $0.answer([20]) } == answers[1])
    }
}
