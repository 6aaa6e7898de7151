import RoostModel
import RoostProtocol
import RoostService
import Testing

/// A push whose reply brings the page that follows (protocol.md §6.8).
@Suite struct SharedPageTests {
    private let group: TestGroup
    private var ana: TestDevice
    private var bruno: TestDevice

    init() async throws {
        group = try TestGroup()
        ana = try await group.owner()
        bruno = try await group.device(ana)
    }

    @Test mutating func replyBringsWhatAPullRightAfterWouldBring() async throws {
        _ = try await bruno.push(bruno.put(TestGroup.id(2)))
        let body = request(1, ana.put(TestGroup.id(1)))
        let reply = try await ana.pushAndPull(body, since: nil)
        #expect(reply.results == [.accepted(sequence: 2, outcomes: [])])
        #expect(reply.page == (try await ana.page(since: nil)))
        #expect(reply.page?.digest == (try group.service.head(for: ana.member).digest))
    }

    @Test mutating func ownChangesOfThePushAreNotInThePage() async throws {
        let start = try await ana.page(since: nil).checkpoint
        _ = try await bruno.push(bruno.put(TestGroup.id(2)))
        let reply = try await ana.pushAndPull(request(1, ana.put(TestGroup.id(1)), checkpoint: start), since: start)
        #expect(reply.page?.records.map(\.key.id) == [TestGroup.id(2)])
    }

    /// The reply is the stored one; the page is what there is now.
    @Test mutating func repeatedPushGetsTheSameReplyAndAFreshPage() async throws {
        let body = request(1, ana.put(TestGroup.id(1)))
        var first = try await ana.pushAndPull(body, since: nil)
        _ = try await bruno.push(bruno.put(TestGroup.id(2)))
        var second = try await ana.pushAndPull(body, since: nil)
        #expect(first.page?.records.count == 1)
        #expect(second.page?.records.count == 2)
        (first.page, second.page) = (nil, nil)
        #expect(first == second)
        #expect(try await ana.sendRaw(body.protobuf()) == first.protobuf())
    }

    /// The push is stored whatever becomes of the page: a pull says why there is none.
    @Test mutating func pageThatCannotBeGivenIsLeftOut() async throws {
        let strange = Checkpoint(bytes: [1, 2, 3])
        let reply = try await ana.pushAndPull(request(1, ana.put(TestGroup.id(1))), since: strange)
        #expect(reply.results == [.accepted(sequence: 1, outcomes: [])])
        #expect(reply.page == nil)
        #expect(await refusal { try await ana.page(since: strange) } == .badRequest)
    }

    private func request(_ number: UInt64, _ changes: Change..., checkpoint: Checkpoint? = nil) -> PushRequest {
        PushRequest(number: number, checkpoint: checkpoint, transactions: [.init(changes: changes)])
    }
}
