import MemoryStore
import RoostModel
import RoostProtocol
import RoostService
import Testing

/// A server restored from a backup, and the records that its replicas bring back.
@Suite struct RecoveryTests {
    private let store = MemoryStore()
    private let group: TestGroup
    private var ana: TestDevice
    private var bruno: TestDevice
    /// The store before ``lost`` was pushed.
    private let backup: MemoryStore
    private let lost: RecordState

    /// Both devices have record 1, which is in the backup, and record 2, which is not.
    init() async throws {
        group = try TestGroup(store: store)
        ana = try await group.owner()
        bruno = try await group.device(ana)
        _ = try await ana.push(ana.put(TestGroup.id(1)))
        _ = try await ana.pull()
        _ = try await bruno.pull()
        backup = store.copy()
        _ = try await ana.push(ana.put(TestGroup.id(2), "lost"))
        _ = try await ana.pull()
        lost = try #require(try await bruno.pull().records.first)
    }

    /// Returns a server on the backup, in the state that `roost-server restore` leaves.
    private func restore() throws -> TestGroup {
        let random = RandomSource(SplitMix64(state: 99))
        let scopes = try backup.write { transaction in
            try RecoveryHandler(limits: Limits(), random: random).beginAll(in: transaction, now: group.clock.now)
        }
        #expect(scopes == 1)
        return try group.restarted(on: backup)
    }

    // MARK: One stamp with two contents

    /// Two files wrote under one identity, and each brings back its content. The content with the greater hash is kept in either
    /// order.
    @Test(arguments: [false, true])
    mutating func operatorIsToldOfAStampThatNamesTwoContents(reversed: Bool) async throws {
        let after = try restore()
        let contents = [TestGroup.encoded("one"), TestGroup.encoded("another")]
        let states = (reversed ? contents.reversed() : contents).map { content in
            var state = lost
            state.put?.encoded = content
            return state
        }
        _ = try await ana.on(after).recover([states[0]])
        #expect(after.events.all.count == 1)
        _ = try await bruno.on(after).recover([states[1]])
        let collision = SyncService.Event.stampCollision(
            scope: ana.member.scopeID, record: lost.key, stamp: try #require(lost.put?.stamp))
        #expect(after.events.all.filter { $0 == collision }.count == 1)
        let stored = try await ana.on(after).page(since: nil).records.first { $0.key == lost.key }
        #expect(stored?.put?.encoded == contents.max { ContentHash(of: $0) < ContentHash(of: $1) })
    }

    // MARK: Detection

    @Test mutating func restoredServerTellsEveryReplica() async throws {
        (ana.group, bruno.group) = (try restore(), try restore())
        #expect(await refusal { try await ana.page(since: ana.checkpoint) } == .historyChanged)
        #expect(await refusal { try await bruno.page(since: bruno.checkpoint) } == .historyChanged)
        #expect(ana.group.events.all == [])
    }

    @Test mutating func copyPutBackByHandIsNoticedByACheckpointBeyondIt() async throws {
        let after = try group.restarted(on: backup)
        ana.group = after
        #expect(await refusal { try await ana.page(since: ana.checkpoint) } == .historyChanged)
        #expect(after.events.all == [.rolledBack(scope: ana.member.scopeID, replica: ana.member.replica)])
        #expect(try await ana.recover([lost]).stored == 1)
    }

    @Test mutating func copyThatGrewPastTheCheckpointIsNoticedByItsChain() async throws {
        let after = try group.restarted(on: backup)
        var carla = try await after.device(try await TestDevice(after, after.registration()))
        carla.group = after
        bruno.group = after
        // Bruno's push number and stamps continue from the backup. The scope has its former length, with different content.
        _ = try await bruno.push(bruno.put(TestGroup.id(3)))
        ana.group = after
        #expect(await refusal { try await ana.page(since: ana.checkpoint) } == .historyChanged)
    }

    /// Earlier checkpoints stay valid only where no acknowledged change can be missing.
    @Test mutating func rollbackEndsTheCheckpointsThatWouldStillFit() async throws {
        let late = try await bruno.page(since: nil)
        let after = try group.restarted(on: backup)
        var carla = try await after.device(ana.on(after))
        let fitting = try await carla.pull().checkpoint
        ana.group = after
        #expect(await refusal { try await ana.page(since: late.checkpoint) } == .historyChanged)
        #expect(await refusal { try await carla.page(since: fitting) } == .historyChanged)
    }

    @Test mutating func pushWithACheckpointBeyondTheHistoryIsNoticed() async throws {
        let after = try group.restarted(on: backup)
        bruno.group = after
        _ = try await bruno.push(bruno.put(TestGroup.id(1), base: lost.put?.stamp))
        #expect(after.events.all == [.rolledBack(scope: bruno.member.scopeID, replica: bruno.member.replica)])
        #expect(try await ana.on(after).recover([lost]).stored == 1)
    }

    @Test mutating func checkpointOfAnIncarnationThatEndedRaisesNoAlarmAgain() async throws {
        ana.group = try restore()
        ana.group.clock.advance(milliseconds: 31 * 24 * 3_600_000)
        #expect(await refusal { try await ana.page(since: ana.checkpoint) } == .historyChanged)
        #expect(await refusal { try await ana.recover([lost]) } == .notRecovering)
        #expect(ana.group.events.all == [])
    }

    @Test mutating func waitingPullEndsWhenARollbackIsNoticed() async throws {
        let after = try group.restarted(on: backup)
        let fitting = try await ana.on(after).page(since: nil).checkpoint
        let waiter = try #require(after.service.waitingRoom.enter(ana.member.replica, in: ana.member.scope))
        bruno.group = after
        let checkpoint = bruno.checkpoint
        let ended = await refusal { [ana, bruno] in
            try await after.service.pull(
                PageRequest(since: fitting), as: .protobuf, for: ana.member, waiter: waiter
            ) {
                Task { try await bruno.page(since: checkpoint) }
            }
        }
        #expect(ended == .historyChanged)
    }

    // MARK: Bringing back records

    @Test mutating func whatAReplicaBringsBackReachesTheOthersAsItWas() async throws {
        let after = try restore()
        (ana.group, bruno.group) = (after, after)
        #expect(try await bruno.recover([lost]) == RecoverReply(stored: 1, serverTime: after.clock.now))
        ana.checkpoint = nil
        let page = try await ana.pull()
        #expect(page.records.contains(lost))
        #expect(page.digest == (try await bruno.page(since: nil)).digest)
        #expect(
            after.events.all == [.recovered(scope: bruno.member.scopeID, replica: bruno.member.replica, records: 1)])
    }

    @Test mutating func repetitionChangesNothing() async throws {
        bruno.group = try restore()
        _ = try await bruno.recover([lost])
        let head = try bruno.group.service.head(for: bruno.member)
        #expect(try await bruno.recover([lost]).stored == 0)
        #expect(try bruno.group.service.head(for: bruno.member) == head)
    }

    /// The reply may be lost, and the scope may no longer be recovering when the replica asks again. So the replica learns the
    /// outcome from its next page.
    @Test mutating func whatIsBroughtBackIsSentToItsBringerToo() async throws {
        bruno.group = try restore()
        bruno.checkpoint = nil
        _ = try await bruno.pull()
        _ = try await bruno.recover([lost])
        #expect(try await bruno.pull().records == [lost])
    }

    /// A proxy may repeat a push long after its reply, and the server may have been restored meanwhile. The author learns from a
    /// page that the change is stored again.
    @Test mutating func pushOfAnEarlierHistoryIsSentToItsAuthorToo() async throws {
        bruno.group = try restore()
        let old = bruno.checkpoint
        bruno.checkpoint = nil
        _ = try await bruno.pull()
        let new = bruno.checkpoint
        bruno.checkpoint = old
        _ = try await bruno.push(bruno.put(TestGroup.id(3)))
        bruno.checkpoint = new
        #expect(try await bruno.pull().records.map(\.key.id) == [TestGroup.id(3)])
    }

    /// A push made before the first page has no checkpoint. Its author also learns from a page that the change is stored.
    @Test mutating func pushWithoutACheckpointIsSentToItsAuthorToo() async throws {
        bruno.group = try restore()
        bruno.checkpoint = nil
        _ = try await bruno.pull()
        let new = bruno.checkpoint
        bruno.checkpoint = nil
        _ = try await bruno.push(bruno.put(TestGroup.id(3)))
        bruno.checkpoint = new
        #expect(try await bruno.pull().records.map(\.key.id) == [TestGroup.id(3)])
    }

    @Test mutating func olderSlotDoesNotReplaceANewerOne() async throws {
        let after = try restore()
        var carla = try await after.device(ana.on(after))
        carla.clock = (lost.put?.stamp.time ?? 0) + 1
        _ = try await carla.push(carla.put(lost.key.id, "newer"))
        bruno.group = after
        #expect(try await bruno.recover([lost]).stored == 0)
    }

    @Test mutating func tombstoneComesBackToo() async throws {
        bruno.group = try restore()
        let deleted = RecordState(key: lost.key, put: lost.put, delete: bruno.stamp())
        #expect(try await bruno.recover([deleted]).stored == 1)
        bruno.checkpoint = nil
        #expect(try await bruno.pull().records.contains(deleted))
    }

    // MARK: Refusals

    @Test mutating func scopeThatLostNothingTakesNothingBack() async throws {
        let bruno = bruno
        let foreign = RecordState(key: lost.key, put: lost.put, delete: self.bruno.stamp())
        #expect(await refusal { try await bruno.recover([foreign]) } == .notRecovering)
        #expect(try await bruno.recover([lost]).stored == 0)
    }

    /// The first reply was lost, and the next attempt comes after the recovery has ended.
    @Test mutating func repetitionIsAnsweredAlsoWhenTheScopeRecoversNoMore() async throws {
        let after = try restore()
        bruno.group = after
        #expect(try await bruno.recover([lost]).stored == 1)
        after.clock.advance(milliseconds: 31 * 24 * 3_600_000)
        #expect(try await bruno.recover([lost]).stored == 0)
    }

    @Test mutating func recoveringEndsAfterThirtyDays() async throws {
        let after = try restore()
        let bruno = bruno.on(after)
        after.clock.advance(milliseconds: 30 * 24 * 3_600_000 - 1)
        let more = RecordState(key: lost.key, put: lost.put, delete: self.bruno.stamp())
        #expect(await refusal { try await bruno.recover([lost]) } == nil)
        after.clock.advance(milliseconds: 1)
        #expect(await refusal { try await bruno.recover([more]) } == .notRecovering)
    }

    @Test func viewerBringsNothingBack() async throws {
        let after = try restore()
        let viewer = try await after.device(ana.on(after), role: .viewer)
        #expect(await refusal { try await viewer.recover([lost]) } == .forbidden)
    }

    @Test func revokedDeviceBringsNothingBack() async throws {
        let after = try restore()
        try await after.service.revoke(bruno.member.replica, by: ana.member)
        #expect(await refusal { try await bruno.on(after).recover([lost]) } == .revoked)
    }

    @Test func stampAheadOfTheClockIsRefusedWithAllOfItsRequest() async throws {
        let bruno = bruno.on(try restore())
        let ahead = HybridTimestamp(
            milliseconds: group.clock.now + 300_001, counter: 0, replica: ana.member.replica)
        let other = RecordState(key: TestGroup.key(TestGroup.id(9)), delete: ahead)
        #expect(await refusal { try await bruno.recover([lost, other]) } == .clockAhead)
        #expect(try await bruno.recover([lost]).stored == 1)
    }

    @Test func putThatIsNoneIsRefused() async throws {
        let bruno = bruno.on(try restore())
        var broken = lost
        broken.put?.encoded = [1, 2, 3]
        #expect(await refusal { try await bruno.recover([broken]) } == .malformedPut)
    }

    /// Earlier servers stored such a put, and clients keep the bytes of properties that they do not edit. A canonical put stays
    /// canonical.
    @Test func anEditOfAPutThatIsNotCanonicalKeepsItsForm() async throws {
        let after = try restore()
        var bruno = bruno.on(after)
        var old = lost
        // One field with two values, of which readers use the last.
        let content: [UInt8] = [0x0A, 0x08, 0x08, 0x01, 0x12, 0x01, 0x61, 0x12, 0x01, 0x62]
        old.put?.encoded = [0x12, 0x0A] + content
        #expect(try await bruno.recover([old]).stored == 1)
        let edited: [UInt8] = [0x12, 0x0E] + content + [0x0A, 0x02, 0x08, 0x02]
        func refused(_ result: PushReply.Result?) -> ErrorCode? {
            if case .refused(let refusal)? = result { refusal.code } else { nil }
        }
        func change(_ key: RecordKey, _ base: HybridTimestamp?) -> Change {
            Change(key: key, stamp: bruno.stamp(), kind: .put(edited, base: base))
        }
        let create = change(old.key, nil)
        #expect(refused(try await bruno.push(create).results.first) == .malformedPut)
        let unknown = change(TestGroup.key(TestGroup.id(77)), old.put?.stamp)
        #expect(refused(try await bruno.push(unknown).results.first) == .malformedPut)
        let first = change(TestGroup.key(TestGroup.id(1)), old.put?.stamp)
        #expect(refused(try await bruno.push(first).results.first) == .malformedPut)
        let edit = change(old.key, old.put?.stamp)
        #expect(refused(try await bruno.push(edit).results.first) == nil)
        let again = change(old.key, edit.stamp)
        #expect(refused(try await bruno.push([[again]], continues: true).results.first) == nil)
    }

    @Test func tooManyRecordsAtOnceAreRefused() async throws {
        let bruno = bruno.on(try restore())
        let many = [RecordState](repeating: lost, count: 1001)
        #expect(await refusal { try await bruno.recover(many) } == .tooLarge)
    }

    @Test func limitOfRecordsHoldsForWhatIsBroughtBack() async throws {
        _ = try restore()
        let tight = try TestGroup(store: backup, clock: group.clock, seed: 8) { $0.recordsPerScopeMax = 1 }
        #expect(await refusal { try await bruno.on(tight).recover([lost]) } == .quotaExceeded)
    }
}

extension TestDevice {
    /// Returns the device as a client of another server.
    func on(_ group: TestGroup) -> TestDevice {
        var device = self
        device.group = group
        return device
    }
}
