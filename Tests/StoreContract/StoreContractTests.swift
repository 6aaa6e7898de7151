import RoostModel
import RoostProtocol
import RoostService
import Testing

/// The behaviour of every store that the service relies on.
@Suite struct StoreContractTests {
    private struct Refusal: Error {}

    private static func scope(_ number: UInt64 = 1) -> StoredScope {
        var scope = StoredScope(
            id: ScopeID(RecordID(high: 7, low: number)), name: "Lisbon", epoch: .max - number, schemaVersion: 1)
        scope.head.digest = ScopeDigest(value: 1 << 100)
        return scope
    }

    private static func key(_ number: UInt64, entity: UInt32 = 1) -> RecordKey {
        RecordKey(entity: EntityID(entity), id: RecordID(high: number, low: .max))
    }

    private static func record(_ sequence: UInt64, _ message: [UInt8] = [1, 2, 3]) -> StoredRecord {
        StoredRecord(sequence: sequence, author: ReplicaID(rawValue: .max), message: message)
    }

    private static func sequences(
        in scope: ScopeKey, after sequence: UInt64 = 0, atMost: Int = .max, _ snapshot: any StoreSnapshot
    ) throws -> [UInt64] {
        var found: [UInt64] = []
        try snapshot.forEachRecord(in: scope, after: sequence) { sequence, _, _ in
            found.append(sequence)
            return found.count < atMost
        }
        return found
    }

    // MARK: Transactions

    @Test(arguments: StoreKind.allCases)
    func writesAreThereAfterwards(kind: StoreKind) throws {
        let store = try kind.make()
        try store.write { try $0.set("secret", to: [1, 2]) }
        #expect(try store.read { try $0.setting("secret") } == [1, 2])
    }

    @Test(arguments: StoreKind.allCases)
    func throwingTakesEverythingBack(kind: StoreKind) throws {
        let store = try kind.make()
        #expect(throws: Refusal.self) {
            try store.write { transaction in
                try transaction.set("secret", to: [1])
                throw Refusal()
            }
        }
        #expect(try store.read { try $0.setting("secret") } == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func writesAreSeenByReadsThatFollow(kind: StoreKind) throws {
        let seen = try kind.make().write { transaction in
            try transaction.set("secret", to: [])
            return try transaction.setting("secret")
        }
        #expect(seen == [])
    }

    @Test(arguments: StoreKind.allCases)
    func savepointTakesBackOnlyItsOwn(kind: StoreKind) throws {
        let store = try kind.make()
        try store.write { transaction in
            try transaction.set("before", to: [1])
            let refused: Void? = try? transaction.savepoint {
                try transaction.set("before", to: [2])
                try transaction.set("inside", to: [2])
                throw Refusal()
            }
            #expect(refused == nil)
            try transaction.savepoint { try transaction.set("after", to: [3]) }
        }
        #expect(try store.read { try $0.setting("before") } == [1])
        #expect(try store.read { try $0.setting("inside") } == nil)
        #expect(try store.read { try $0.setting("after") } == [3])
    }

    // MARK: Scopes and records

    @Test(arguments: StoreKind.allCases)
    func scopeComesBackAsStored(kind: StoreKind) throws {
        let store = try kind.make()
        let key = try store.write { try $0.insert(Self.scope(), schema: "{}") }
        var head = ScopeHead()
        head.digest = ScopeDigest(value: .max)
        head.records = 3
        head.advance()
        try store.write { try $0.update(head, of: key) }
        let found = try #require(try store.read { try $0.scope(key) })
        #expect(found.head == head)
        #expect(found.id == Self.scope().id)
        #expect(found.epoch == Self.scope().epoch)
        #expect(try store.read { try $0.schema(of: key) } == "{}")
    }

    @Test(arguments: StoreKind.allCases)
    func scopesHaveKeysOfTheirOwn(kind: StoreKind) throws {
        let store = try kind.make()
        let keys = try store.write { transaction in
            try (1...3).map { try transaction.insert(Self.scope($0), schema: "") }
        }
        #expect(Set(keys).count == 3)
        #expect(try store.read { try $0.scope(ScopeKey(99)) } == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func publishedSchemaIsInForce(kind: StoreKind) throws {
        let store = try kind.make()
        let key = try store.write { try $0.insert(Self.scope(), schema: "first") }
        try store.write { try $0.publish("second", version: 2, in: key) }
        #expect(try store.read { try $0.schema(of: key) } == "second")
        #expect(try store.read { try $0.scope(key)?.schemaVersion } == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func recordIsReplacedByItsKey(kind: StoreKind) throws {
        let store = try kind.make()
        let scope = try store.write { try $0.insert(Self.scope(), schema: "") }
        try store.write { try $0.put(Self.record(1), Self.key(1), in: scope) }
        try store.write { try $0.put(Self.record(2, []), Self.key(1), in: scope) }
        #expect(try store.read { try $0.record(Self.key(1), in: scope) } == Self.record(2, []))
        #expect(try store.read { try Self.sequences(in: scope, $0) } == [2])
    }

    @Test(arguments: StoreKind.allCases)
    func sameIdentifierInAnotherEntityOrScopeIsAnotherRecord(kind: StoreKind) throws {
        let store = try kind.make()
        let scopes = try store.write { transaction in
            try (1...2).map { try transaction.insert(Self.scope($0), schema: "") }
        }
        try store.write { try $0.put(Self.record(1), Self.key(1), in: scopes[0]) }
        #expect(try store.read { try $0.record(Self.key(1, entity: 2), in: scopes[0]) } == nil)
        #expect(try store.read { try $0.record(Self.key(1), in: scopes[1]) } == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func recordsComeInTheOrderOfSequences(kind: StoreKind) throws {
        let store = try kind.make()
        let scope = try store.write { try $0.insert(Self.scope(), schema: "") }
        try store.write { transaction in
            for sequence: UInt64 in [3, 1, 4, 2] {
                try transaction.put(Self.record(sequence), Self.key(sequence), in: scope)
            }
        }
        #expect(try store.read { try Self.sequences(in: scope, $0) } == [1, 2, 3, 4])
        #expect(try store.read { try Self.sequences(in: scope, after: 2, $0) } == [3, 4])
        #expect(try store.read { try Self.sequences(in: scope, atMost: 2, $0) } == [1, 2])
    }

    @Test(arguments: StoreKind.allCases)
    func chainIsFoundBySequence(kind: StoreKind) throws {
        let store = try kind.make()
        let scope = try store.write { try $0.insert(Self.scope(), schema: "") }
        try store.write { transaction in
            try transaction.append(chain: .max, at: 1, in: scope)
            try transaction.append(chain: 5, at: 2, in: scope)
        }
        #expect(try store.read { try $0.chain(at: 1, in: scope) } == .max)
        #expect(try store.read { try $0.chain(at: 3, in: scope) } == nil)
        #expect(try store.read { try $0.chain(at: 0, in: scope) } == nil)
    }

    // MARK: Purging and recovering

    @Test(arguments: StoreKind.allCases)
    func scopesAreListedOldestFirst(kind: StoreKind) throws {
        let store = try kind.make()
        let keys = try store.write { transaction in
            try (1...3).map { try transaction.insert(Self.scope($0), schema: "") }
        }
        #expect(try store.read { try $0.scopes() } == keys)
    }

    @Test(arguments: StoreKind.allCases)
    func pastComesBackAsStored(kind: StoreKind) throws {
        let store = try kind.make()
        let key = try store.write { try $0.insert(Self.scope(), schema: "") }
        #expect(try store.read { try $0.scope(key)?.past } == ScopePast())
        var past = ScopePast()
        past.floor = 4
        past.purged = 9
        past.recoveringUntil = 1_800_000_000_000
        past.endedEpochs = [.max, 0, 7]
        try store.write { try $0.update(epoch: .max, past, of: key) }
        let found = try #require(try store.read { try $0.scope(key) })
        #expect(found.past == past)
        #expect(found.epoch == .max)
        #expect(found.head == Self.scope().head)
    }

    @Test(arguments: StoreKind.allCases)
    func removedRecordIsGone(kind: StoreKind) throws {
        let store = try kind.make()
        let scope = try store.write { try $0.insert(Self.scope(), schema: "") }
        try store.write { transaction in
            for number: UInt64 in 1...3 { try transaction.put(Self.record(number), Self.key(number), in: scope) }
            try transaction.remove(Self.key(2), in: scope)
        }
        #expect(try store.read { try $0.record(Self.key(2), in: scope) } == nil)
        #expect(try store.read { try Self.sequences(in: scope, $0) } == [1, 3])
    }

    @Test(arguments: StoreKind.allCases)
    func namesOfPurgedRecordsComeInOrderAndGoBySequence(kind: StoreKind) throws {
        let store = try kind.make()
        let scopes = try store.write { transaction in
            try (1...2).map { try transaction.insert(Self.scope($0), schema: "") }
        }
        try store.write { transaction in
            try transaction.putPurged(Self.key(2), at: 5, in: scopes[0])
            try transaction.putPurged(Self.key(1), at: 5, in: scopes[0])
            try transaction.putPurged(Self.key(3, entity: 70_000), at: 4, in: scopes[0])
            try transaction.putPurged(Self.key(1), at: 9, in: scopes[1])
        }
        #expect(
            try store.read { try Self.purged(in: scopes[0], $0) } == [
                Self.key(3, entity: 70_000), Self.key(1), Self.key(2),
            ])
        #expect(try store.read { try Self.purged(in: scopes[0], after: 4, $0) } == [Self.key(1), Self.key(2)])
        #expect(try store.read { try Self.purged(in: scopes[0], atMost: 1, $0) } == [Self.key(3, entity: 70_000)])
        try store.write { try $0.removePurged(upTo: 4, in: scopes[0]) }
        #expect(try store.read { try Self.purged(in: scopes[0], $0) } == [Self.key(1), Self.key(2)])
        #expect(try store.read { try Self.purged(in: scopes[1], $0) } == [Self.key(1)])
    }

    @Test(arguments: StoreKind.allCases)
    func nameThatIsPurgedAgainHasTheLaterSequence(kind: StoreKind) throws {
        let store = try kind.make()
        let scope = try store.write { try $0.insert(Self.scope(), schema: "") }
        try store.write { transaction in
            try transaction.putPurged(Self.key(1), at: 4, in: scope)
            try transaction.putPurged(Self.key(1), at: 8, in: scope)
            try transaction.removePurged(upTo: 4, in: scope)
        }
        #expect(try store.read { try Self.purged(in: scope, after: 4, $0) } == [Self.key(1)])
        #expect(try store.read { try $0.purgedSequence(of: Self.key(1), in: scope) } == 8)
        #expect(try store.read { try $0.purgedSequence(of: Self.key(1, entity: 2), in: scope) } == nil)
    }

    private static func purged(
        in scope: ScopeKey, after sequence: UInt64 = 0, atMost: Int = .max, _ snapshot: any StoreSnapshot
    ) throws -> [RecordKey] {
        var found: [RecordKey] = []
        try snapshot.forEachPurged(in: scope, after: sequence) { _, key in
            found.append(key)
            return found.count < atMost
        }
        return found
    }
}
