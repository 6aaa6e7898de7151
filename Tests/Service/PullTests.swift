import RoostModel
import RoostProtocol
import RoostService
import Testing

@Suite struct PullTests {
    private let group: TestGroup
    private var ana: TestDevice
    private var bruno: TestDevice

    init() async throws {
        group = try TestGroup()
        ana = try await group.owner()
        bruno = try await group.device(ana)
    }

    // MARK: Echo

    @Test mutating func ownChangesAreNotSentBack() async throws {
        _ = try await ana.pull()
        _ = try await ana.push(ana.put(TestGroup.id(1)))
        let page = try await ana.pull()
        #expect(page.records == [])
        #expect(page.digest != ScopeDigest())
    }

    /// A copy that has pulled has to discard its confirmed slots (protocol.md §6.2): a pull under the new identity does not bring
    /// what the pages of the shared identity left out.
    @Test mutating func whatACopyHasPulledLacksWhatTheOriginalWrote() async throws {
        _ = try await ana.pull()
        var copy = ana
        _ = try await ana.push(ana.put(TestGroup.id(1)))
        #expect(try await copy.pull().records == [])
        let registration = try await group.service.renew(copy.member, reason: "copied", nonce: "copy-nonce")
        var renewed = try await TestDevice(group, registration)
        renewed.checkpoint = copy.checkpoint
        let next = try await renewed.pull()
        #expect(next.records == [])
        #expect(next.digest != ScopeDigest(), "the digest shows it")
        renewed.checkpoint = nil
        #expect(try await renewed.pull().records.count == 1)
    }

    @Test mutating func firstPullSendsEverything() async throws {
        _ = try await ana.push(ana.put(TestGroup.id(1)))
        #expect(try await ana.pull().records.count == 1)
    }

    @Test mutating func pagesOfAFirstPullSendEverything() async throws {
        for number: UInt64 in 1...3 { _ = try await ana.push(ana.put(TestGroup.id(number))) }
        var records = 0
        var page = try await ana.pull(bytesMax: 1)
        records += page.records.count
        while page.hasMore {
            page = try await ana.pull(bytesMax: 1)
            records += page.records.count
        }
        #expect(records == 3)
    }

    /// A replica that resynchronises fully and writes meanwhile still receives the earlier content of its own records.
    @Test(arguments: [false, true])
    mutating func recordChangedBetweenThePagesOfAFirstPullIsSentBack(isBeforeTheFirstPage: Bool) async throws {
        let ids = (1...3).map { TestGroup.id(UInt64($0)) }
        for id in ids { _ = try await ana.push(ana.put(id)) }
        if !isBeforeTheFirstPage { _ = try await ana.pull(bytesMax: 1) }
        _ = try await ana.push(ana.delete(ids[2]))
        var seen: [RecordState] = []
        var page = try await ana.pull(bytesMax: 1)
        seen += page.records
        while page.hasMore {
            page = try await ana.pull(bytesMax: 1)
            seen += page.records
        }
        #expect(seen.contains { $0.key == TestGroup.key(ids[2]) && $0.put != nil && $0.delete != nil })
        // The replica knows the record by now, so it is not sent back.
        _ = try await ana.push(ana.put(ids[1], "again"))
        #expect(try await ana.pull().records == [])
    }

    @Test mutating func changeOfAnUnseenRecordIsSentBack() async throws {
        _ = try await ana.pull()
        _ = try await bruno.push(bruno.delete(TestGroup.id(1)))
        group.clock.advance(milliseconds: 1)
        _ = try await ana.push(ana.put(TestGroup.id(1)))
        let page = try await ana.pull()
        #expect(page.records.count == 1)
        #expect(page.records.first?.delete != nil)
    }

    @Test mutating func changeOfASeenRecordIsNotSentBack() async throws {
        _ = try await bruno.push(bruno.put(TestGroup.id(1)))
        let seen = try await ana.pull().records.first?.put?.stamp
        group.clock.advance(milliseconds: 1)
        _ = try await ana.push(ana.put(TestGroup.id(1), "b", base: seen))
        #expect(try await ana.pull().records == [])
        #expect(try await bruno.pull().records.count == 1)
    }

    @Test mutating func ownPushWakesOnlyTheOthers() async throws {
        _ = try await ana.pull()
        _ = try await bruno.pull()
        let waiter = try #require(group.service.waitingRoom.enter(bruno.member.replica, in: bruno.member.scope))
        let own = try #require(group.service.waitingRoom.enter(ana.member.replica, in: ana.member.scope))
        _ = try await ana.push(ana.put(TestGroup.id(1)))
        #expect(!own.isWoken)
        own.wake(.timeUp)
        #expect(await waiter.wait() == .news)
        #expect(await own.wait() == .timeUp)
    }

    // MARK: Pages

    @Test mutating func pageHoldsWholeTransactions() async throws {
        _ = try await ana.push([
            [ana.put(TestGroup.id(1)), ana.put(TestGroup.id(2))], [ana.put(TestGroup.id(3)), ana.put(TestGroup.id(4))],
        ])
        let first = try await bruno.pull(bytesMax: 100)
        #expect(first.records.map(\.key.id) == [TestGroup.id(1), TestGroup.id(2)])
        #expect(first.hasMore)
        #expect(first.digest == nil)
        let second = try await bruno.pull(bytesMax: 100)
        #expect(second.records.map(\.key.id) == [TestGroup.id(3), TestGroup.id(4)])
        #expect(!second.hasMore)
        #expect(second.digest != nil)
    }

    @Test mutating func recordChangedLaterMovesToItsLaterSequence() async throws {
        _ = try await ana.push([[ana.put(TestGroup.id(1))], [ana.put(TestGroup.id(2))]])
        _ = try await ana.push(ana.put(TestGroup.id(1), "b"))
        #expect(try await bruno.pull().records.map(\.key.id) == [TestGroup.id(2), TestGroup.id(1)])
    }

    @Test mutating func nothingNewIsAnEmptyPageWithADigest() async throws {
        _ = try await ana.push(ana.put(TestGroup.id(1)))
        let first = try await bruno.pull()
        let again = try await bruno.pull()
        #expect(again.records == [])
        #expect(again.digest == first.digest)
        #expect(again.checkpoint == first.checkpoint)
    }

    // MARK: Checkpoints

    @Test(arguments: 0..<40)
    mutating func flippedBitIsNoticed(byte: Int) async throws {
        _ = try await ana.push(ana.put(TestGroup.id(1)))
        var bytes = try await bruno.pull().checkpoint.bytes
        bytes[byte] ^= 1
        #expect(await refusal { try await bruno.page(since: Checkpoint(bytes: bytes)) } == .badRequest)
    }

    @Test func checkpointOfAnotherScopeIsRefused() async throws {
        let other = try await TestDevice(group, group.registration(nonce: "another-nonce"))
        let foreign = try await other.page(since: nil).checkpoint
        #expect(await refusal { try await ana.page(since: foreign) } == .badRequest)
    }

    @Test(arguments: [
        CheckpointSeal.Position(epoch: 1, sequence: 0, echo: 0, chain: 0),
        CheckpointSeal.Position(epoch: 0, sequence: 99, echo: 0, chain: 0),
        CheckpointSeal.Position(epoch: 0, sequence: 1, echo: 0, chain: 12345),
    ])
    mutating func placeOutsideTheHistoryMeansItChanged(position: CheckpointSeal.Position) async throws {
        _ = try await ana.push([[ana.put(TestGroup.id(1))], [ana.put(TestGroup.id(2))]])
        let scope = try #require(try group.store.read { try $0.scope(ana.member.scope) })
        var position = position
        if position.epoch == 0 { position.epoch = scope.epoch }
        let secret = try #require(try group.store.read { try $0.setting("secret") })
        let checkpoint = CheckpointSeal(secret: secret).seal(position, of: scope.id)
        #expect(await refusal { try await ana.page(since: checkpoint) } == .historyChanged)
    }
}
