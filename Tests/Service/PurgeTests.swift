import MemoryStore
import RoostModel
import RoostProtocol
import RoostService
import Testing

@Suite struct PurgeTests {
    private let store = MemoryStore()
    private let group: TestGroup
    private var ana: TestDevice
    private var bruno: TestDevice
    private let first = TestGroup.key(TestGroup.id(1))

    /// Ana has created and deleted record 1, and created record 2. Then more than the horizon passes.
    init() async throws {
        group = try TestGroup(store: store)
        ana = try await group.owner()
        bruno = try await group.device(ana)
        _ = try await ana.push(ana.put(TestGroup.id(1)), ana.put(TestGroup.id(2)))
        _ = try await ana.push(ana.delete(TestGroup.id(1)))
        group.waitPastHorizon()
    }

    /// Pulls on both devices, twice: the second pull confirms that the first page has been applied.
    private mutating func pullAll() async throws {
        for _ in 0..<2 {
            _ = try await ana.pull()
            _ = try await bruno.pull()
        }
    }

    // MARK: Purging

    @Test mutating func oldTombstoneGoesOnceEveryActiveReplicaHasIt() async throws {
        try await pullAll()
        #expect(try await group.service.purge() == 1)
        #expect(try group.service.head(for: ana.member).records == 1)
        #expect(group.events.all == [.purged(scope: ana.member.scopeID, records: 1)])
    }

    @Test mutating func replicaThatHasNotHeardOfTheDeleteHoldsItBack() async throws {
        let early = try TestGroup()
        var (ana, bruno) = try await early.pair()
        _ = try await ana.push(ana.put(TestGroup.id(1)))
        _ = try await bruno.pull()
        _ = try await ana.push(ana.delete(TestGroup.id(1)))
        early.pass(days: 89)
        // The request confirms the position before the delete; the reply is lost.
        _ = try await bruno.page(since: bruno.checkpoint)
        early.pass(days: 2)
        _ = try await ana.pull()
        _ = try await ana.pull()
        #expect(try await early.service.purge() == 0)
        _ = try await bruno.pull()
        _ = try await bruno.pull()
        #expect(try await early.service.purge() == 1)
    }

    /// Bruno has received the page with the delete but not stored it, so he may come back without it.
    @Test mutating func pullAheadDoesNotShowThatThePageBeforeIsThere() async throws {
        let page = try await bruno.page(since: nil)
        _ = try await bruno.page(since: page.checkpoint, isAhead: true)
        for _ in 0..<2 { _ = try await ana.pull() }
        #expect(try await group.service.purge() == 0)
        _ = try await bruno.page(since: page.checkpoint)
        #expect(try await group.service.purge() == 1)
    }

    /// Bruno created record 1, too, before his first pull. A later page of that pull has the change that beats his.
    @Test mutating func replicaThatBeginsHoldsBackWhatItHasNotComeTo() async throws {
        let early = HybridTimestamp(milliseconds: 1, counter: 0, replica: bruno.member.replica)
        _ = try await bruno.push(Change(key: first, stamp: early, kind: .put(TestGroup.encoded("b"), base: nil)))
        _ = try await ana.pull()
        _ = try await ana.pull()
        _ = try await bruno.page(since: nil, bytesMax: 1)
        #expect(try await group.service.purge() == 0)
        while try await bruno.pull(bytesMax: 1).hasMore {}
        _ = try await bruno.pull()
        #expect(try await group.service.purge() == 1)
    }

    @Test mutating func replicaThatWasAwayForLongerHoldsNothingBack() async throws {
        let early = try TestGroup()
        var (ana, bruno) = try await early.pair()
        _ = try await ana.push(ana.put(TestGroup.id(1)))
        _ = try await bruno.pull()
        _ = try await ana.push(ana.delete(TestGroup.id(1)))
        early.waitPastHorizon()
        _ = try await ana.pull()
        _ = try await ana.pull()
        #expect(try await early.service.purge() == 1)
    }

    @Test mutating func revokedReplicaHoldsNothingBack() async throws {
        let early = try TestGroup { $0.horizonDays = 1 }
        var (ana, bruno) = try await early.pair()
        _ = try await bruno.pull()
        _ = try await ana.push(ana.put(TestGroup.id(1)))
        _ = try await ana.push(ana.delete(TestGroup.id(1)))
        early.pass(days: 1)
        early.clock.advance(milliseconds: 1)
        _ = try await bruno.page(since: bruno.checkpoint)
        #expect(try await early.service.purge() == 0)
        try await early.service.revoke(bruno.member.replica, by: ana.member)
        #expect(try await early.service.purge() == 1)
    }

    @Test mutating func youngTombstoneStays() async throws {
        _ = try await ana.push(ana.delete(TestGroup.id(2)))
        try await pullAll()
        #expect(try await group.service.purge() == 1)
        group.pass(days: 89)
        try await pullAll()
        #expect(try await group.service.purge() == 0)
        group.pass(days: 2)
        try await pullAll()
        #expect(try await group.service.purge() == 1)
    }

    @Test mutating func horizonOfNoDaysPurgesNothing() async throws {
        let never = try TestGroup(store: store, clock: group.clock) { $0.horizonDays = 0 }
        try await pullAll()
        #expect(try await never.service.purge() == 0)
    }

    @Test mutating func secondRunHasNothingToDo() async throws {
        try await pullAll()
        #expect(try await group.service.purge() == 1)
        let head = try group.service.head(for: ana.member)
        #expect(try await group.service.purge() == 0)
        #expect(try group.service.head(for: ana.member) == head)
    }

    @Test mutating func scopeThatIsRecoveringIsNotPurged() async throws {
        try await pullAll()
        let random = RandomSource(SplitMix64(state: 99))
        _ = try store.write { transaction in
            try RecoveryHandler(limits: Limits(), random: random).beginAll(in: transaction, now: group.clock.now)
        }
        #expect(try await group.service.purge() == 0)
    }

    @Test mutating func recordThatChangesWhileItIsPurgedStays() async throws {
        try await pullAll()
        let hooked = HookedStore(store)
        let running = try group.restarted(on: hooked)
        let (store, scope, change) = (store, ana.member.scope, ana.put(TestGroup.id(1), "back"))
        _ = try SyncService.acceptClock(in: store, now: group.clock.now)
        #expect(try running.service.clockJump() == nil)
        // The first read lists the scopes, the second one plans the purge.
        hooked.afterReads([{}, { Self.write(change, to: store, scope) }])
        #expect(try await running.service.purge() == 0)
        // Another service answers, because the store was changed without notifying the first one.
        let page = try await ana.on(group.restarted(on: store)).page(since: nil)
        #expect(page.records.contains { $0.put?.stamp == change.stamp })
    }

    /// Stores a put of an existing record, as a push does.
    private static func write(_ change: Change, to store: MemoryStore, _ scope: ScopeKey) {
        #expect(throws: Never.self) {
            try store.write { transaction in
                guard case .put(let encoded, let base) = change.kind,
                    var stored = try transaction.record(change.key, in: scope),
                    var head = try transaction.scope(scope)?.head
                else { return }
                var state = try RecordState(protobuf: stored.message)
                let before = state.stamps
                state.put = .init(stamp: change.stamp, base: base, encoded: encoded)
                head.digest.replace(before, with: state.stamps, of: change.key)
                head.advance()
                stored.sequence = head.sequence
                stored.message = state.protobuf()
                try transaction.put(stored, change.key, in: scope)
                try transaction.append(chain: head.shortChain, at: head.sequence, in: scope)
                try transaction.update(head, of: scope)
            }
        }
    }

    // MARK: Notifying the replicas

    @Test mutating func nameReachesEveryReplicaAndTheDigestFollows() async throws {
        try await pullAll()
        _ = try await group.service.purge()
        for device in [ana, bruno] {
            let page = try await device.page(since: device.checkpoint)
            #expect(page.purged == [first])
            #expect(page.records == [])
            var digest = ScopeDigest()
            for record in try await device.page(since: nil).records {
                digest.replace(SlotStamps(), with: record.stamps, of: record.key)
            }
            #expect(page.digest == digest)
        }
    }

    /// Carla has pushed but never received a page. She has her own record, which another device deleted.
    @Test mutating func firstPullNamesWhatTheReplicaMayHavePushed() async throws {
        var carla = try await group.device(ana)
        _ = try await carla.push(carla.put(TestGroup.id(3)))
        group.clock.advance(milliseconds: 1)
        _ = try await ana.push(ana.delete(TestGroup.id(3)))
        group.waitPastHorizon()
        try await pullAll()
        #expect(try await group.service.purge() == 2)
        let page = try await carla.page(since: nil)
        #expect(Set(page.purged) == [first, TestGroup.key(TestGroup.id(3))])
        #expect(page.records.map(\.key) == [TestGroup.key(TestGroup.id(2))])
    }

    @Test mutating func nameAndRecordOfOnePageAreThePurgedAndTheNew() async throws {
        try await pullAll()
        _ = try await group.service.purge()
        _ = try await ana.push(ana.put(TestGroup.id(1), "new"))
        let page = try await bruno.page(since: bruno.checkpoint)
        #expect(page.purged == [first])
        #expect(page.records.map(\.key) == [first])
        #expect(page.records.first?.delete == nil)
    }

    /// Bruno recreates a purged record before he is notified of the purge. The identifier would remove it again.
    @Test mutating func recordMadeAnewBeforeItsPurgeIsHeardOfComesAfterTheName() async throws {
        try await pullAll()
        _ = try await group.service.purge()
        _ = try await bruno.push(bruno.put(TestGroup.id(1), "new"))
        let page = try await bruno.page(since: bruno.checkpoint)
        #expect(page.purged == [first])
        #expect(page.records.map(\.key) == [first])
    }

    /// The identifier is in the first page and Bruno's record in the second. Between them he would lack his own record.
    @Test mutating func recordMadeAnewComesWithTheNameThoughItsPlaceIsInALaterPage() async throws {
        try await pullAll()
        _ = try await group.service.purge()
        _ = try await ana.push(ana.put(TestGroup.id(3)))
        let anew = bruno.put(TestGroup.id(1), "new")
        _ = try await bruno.push(anew)
        let page = try await bruno.page(since: bruno.checkpoint, bytesMax: 1)
        #expect(page.hasMore)
        #expect(page.purged == [first])
        #expect(page.records.map(\.key) == [first])
        #expect(page.records.last?.put?.stamp == anew.stamp)
        let rest = try await bruno.page(since: page.checkpoint)
        #expect(rest.records.map(\.key) == [TestGroup.key(TestGroup.id(3)), first])
    }

    /// A delete that Bruno sent meanwhile comes with the identifier. So does a record that another device recreated, because it
    /// may have beaten his change.
    @Test(arguments: [true, false])
    mutating func whateverIsKnownOfAPurgedRecordComesWithItsName(isOwnDelete: Bool) async throws {
        try await pullAll()
        _ = try await group.service.purge()
        _ = try await ana.push(ana.put(TestGroup.id(3)))
        if isOwnDelete {
            _ = try await bruno.push(bruno.delete(TestGroup.id(1)))
        } else {
            _ = try await ana.push(ana.put(TestGroup.id(1), "new"))
        }
        let page = try await bruno.page(since: bruno.checkpoint, bytesMax: 1)
        #expect(page.hasMore)
        #expect(page.purged == [first])
        #expect(page.records.map(\.key) == [first])
    }

    @Test mutating func recordMadeAnewAfterItsPurgeIsHeardOfIsNotSentBack() async throws {
        try await pullAll()
        _ = try await group.service.purge()
        try await pullAll()
        _ = try await bruno.push(bruno.put(TestGroup.id(1), "new"))
        #expect(try await bruno.page(since: bruno.checkpoint).records == [])
    }

    @Test mutating func waitingPullEndsWithThePurge() async throws {
        try await pullAll()
        let waiter = try #require(group.service.waitingRoom.enter(bruno.member.replica, in: bruno.member.scope))
        let (service, member, checkpoint) = (group.service, bruno.member, bruno.checkpoint)
        let page = try await service.pull(
            PageRequest(since: checkpoint), as: .protobuf, for: member, waiter: waiter
        ) {
            Task { try await service.purge() }
        }
        #expect(try PullReply(protobuf: page).purged == [first])
    }

    @Test mutating func manyNamesComeInSeveralPages() async throws {
        for start in stride(from: 10, to: 3000, by: 1000) {
            let ids = (start..<start + 1000).map { TestGroup.id(UInt64($0)) }
            _ = try await ana.push([ids.map { ana.delete($0) }])
        }
        group.waitPastHorizon()
        try await pullAll()
        let before = try group.service.head(for: ana.member).sequence
        #expect(try await group.service.purge() == 3001)
        let after = try group.service.head(for: ana.member).sequence
        // 1,000 records are purged in a commit, and 48 share a sequence.
        #expect(after == before + 3 * 21 + 1)
        var names: [RecordKey] = []
        var page = try await bruno.pull(bytesMax: 1)
        names += page.purged
        while page.hasMore {
            page = try await bruno.pull(bytesMax: 1)
            names += page.purged
        }
        #expect(Set(names).count == 3001)
        #expect(names.count == 3001)
    }

    // MARK: Expired identifiers

    @Test mutating func namesAreForgottenAndOlderCheckpointsRefused() async throws {
        try await pullAll()
        let old = bruno.checkpoint
        _ = try await group.service.purge()
        #expect(try await bruno.page(since: old).purged == [first])
        try await pullAll()
        _ = try await group.service.purge()
        #expect(await refusal { try await bruno.page(since: old) } == .resyncRequired)
        #expect(try await bruno.page(since: bruno.checkpoint).purged == [])
        #expect(await refusal { try await bruno.page(since: nil) } == nil)
    }

    @Test mutating func pullOfEverythingGoesOnThoughNamesAreForgottenMeanwhile() async throws {
        try await pullAll()
        _ = try await group.service.purge()
        try await pullAll()
        _ = try await ana.push(ana.put(TestGroup.id(3)))
        var carla = try await group.device(ana)
        let page = try await carla.pull(bytesMax: 1)
        #expect(page.hasMore)
        // Carla pauses for so long that the server no longer keeps the identifiers for her.
        group.waitPastHorizon()
        _ = try await ana.pull()
        _ = try await ana.pull()
        _ = try await group.service.purge()
        #expect(try await carla.pull().records.count == 1)
    }

    @Test mutating func renewedReplicaIsWhereTheOldOneWas() async throws {
        try await pullAll()
        let service = group.service
        let renewed = try await TestDevice(
            group, service.renew(bruno.member, reason: "copied", nonce: "renew-nonce"))
        let replica = try store.read { try $0.replica(renewed.member.replica, in: renewed.member.scope) }
        #expect(replica?.cursor == 2)
        #expect(replica?.pulled == group.clock.now)
    }

    // MARK: Changes of purged records

    @Test mutating func editOfAPurgedRecordIsRefusedAndACreateIsNot() async throws {
        try await pullAll()
        _ = try await group.service.purge()
        let base = HybridTimestamp(milliseconds: 1, counter: 0, replica: ana.member.replica)
        let reply = try await bruno.push([
            [bruno.put(TestGroup.id(4)), bruno.put(TestGroup.id(1), base: base)],
            [bruno.put(TestGroup.id(5)), bruno.put(TestGroup.id(5), "b", base: bruno.last)],
        ])
        guard case .refused(let refusal) = reply.results[0] else {
            Issue.record("the edit was not refused: \(reply.results[0])")
            return
        }
        #expect(refusal.code == .gone)
        #expect(refusal.index == 1)
        #expect(reply.current == [])
        #expect(reply.results.last == .accepted(sequence: 4, outcomes: []))
        #expect(try await bruno.push(bruno.delete(TestGroup.id(1))).results == [.accepted(sequence: 5, outcomes: [])])
    }

    @Test mutating func editOfAnUnknownRecordIsTakenWhereNothingWasPurged() async throws {
        let base = HybridTimestamp(milliseconds: 1, counter: 0, replica: ana.member.replica)
        let reply = try await bruno.push(bruno.put(TestGroup.id(9), base: base))
        #expect(reply.results == [.accepted(sequence: 3, outcomes: [])])
    }

    @Test mutating func editInAPartOfATransactionIsRefusedWithAllOfIt() async throws {
        try await pullAll()
        _ = try await group.service.purge()
        let base = HybridTimestamp(milliseconds: 1, counter: 0, replica: ana.member.replica)
        _ = try await bruno.push([[bruno.put(TestGroup.id(1), base: base)]], continues: true)
        let reply = try await bruno.push(bruno.put(TestGroup.id(6)))
        guard case .refused(let refusal) = reply.results.first else {
            Issue.record("the transaction was not refused")
            return
        }
        #expect(refusal.code == .gone)
        #expect(refusal.index == nil)
        #expect(try group.service.head(for: ana.member).records == 1)
    }

    // MARK: A restored server

    /// Restores a backup made right after record 1 was purged, as `roost-server restore` does.
    ///
    /// - Returns: The record as it was before the purge, of which Bruno has not been notified.
    private mutating func restoreAfterPurge() async throws -> RecordState {
        try await pullAll()
        let tombstone = try #require(try await bruno.page(since: nil).records.first { $0.key == first })
        _ = try await group.service.purge()
        let backup = store.copy()
        let random = RandomSource(SplitMix64(state: 99))
        _ = try backup.write { transaction in
            try RecoveryHandler(limits: Limits(), random: random).beginAll(in: transaction, now: group.clock.now)
        }
        bruno.group = try group.restarted(on: backup)
        return tombstone
    }

    @Test mutating func purgedRecordIsNotBroughtBack() async throws {
        let tombstone = try await restoreAfterPurge()
        #expect(await refusal { try await bruno.page(since: bruno.checkpoint) } == .historyChanged)
        #expect(try await bruno.page(since: nil).purged == [first])
        let reply = try await bruno.recover([tombstone])
        #expect(reply.stored == 0)
        #expect(reply.purged == [first])
    }

    /// A record that was recreated after its purge, and then lost, is newer than all purged records.
    @Test mutating func recordMadeAnewSinceItsPurgeIsBroughtBack() async throws {
        let tombstone = try await restoreAfterPurge()
        let anew = RecordState(
            key: first, put: .init(stamp: bruno.stamp(), base: nil, encoded: tombstone.put?.encoded ?? []),
            delete: tombstone.delete)
        let reply = try await bruno.recover([anew])
        #expect(reply.stored == 1)
        #expect(reply.purged == [])
    }

    /// A replica that had been notified of the purge deleted the record once more. Its delete makes nothing visible, and hides
    /// the record if others recreate it.
    @Test mutating func deleteOfAPurgedRecordIsBroughtBack() async throws {
        let tombstone = try await restoreAfterPurge()
        let reply = try await bruno.recover([RecordState(key: first, delete: tombstone.delete)])
        #expect(reply.stored == 1)
        #expect(reply.purged == [])
    }

    /// A replica that was away for longer than the horizon has to resynchronise fully, also after the server was restored.
    @Test mutating func expiredReplicaOfARestoredServerPullsEverythingAnew() async throws {
        let late = try await bruno.page(since: nil).checkpoint
        group.waitPastHorizon()
        _ = try await ana.pull()
        _ = try await ana.pull()
        _ = try await group.service.purge()
        _ = try await ana.pull()
        _ = try await ana.pull()
        _ = try await group.service.purge()
        let random = RandomSource(SplitMix64(state: 99))
        _ = try store.write { transaction in
            try RecoveryHandler(limits: Limits(), random: random).beginAll(in: transaction, now: group.clock.now)
        }
        #expect(await refusal { try await bruno.page(since: late) } == .resyncRequired)
        #expect(await refusal { try await ana.page(since: ana.checkpoint) } == .historyChanged)
    }

    @Test mutating func editIsTakenWhileTheScopeIsRecovering() async throws {
        try await pullAll()
        _ = try await group.service.purge()
        let random = RandomSource(SplitMix64(state: 99))
        _ = try store.write { transaction in
            try RecoveryHandler(limits: Limits(), random: random).beginAll(in: transaction, now: group.clock.now)
        }
        let base = HybridTimestamp(milliseconds: 1, counter: 0, replica: ana.member.replica)
        let reply = try await bruno.push(bruno.put(TestGroup.id(9), base: base))
        #expect(reply.results == [.accepted(sequence: 4, outcomes: [])])
    }
}

extension TestGroup {
    /// Returns an owner and an editor.
    fileprivate func pair() async throws -> (TestDevice, TestDevice) {
        let ana = try await owner()
        return (ana, try await device(ana))
    }
}

extension TestDevice {
    /// The stamp of the device's last change.
    fileprivate var last: HybridTimestamp { HybridTimestamp(time: clock, replica: member.replica) }
}
