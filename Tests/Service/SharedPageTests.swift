import RoostModel
import RoostProtocol
import RoostService
import Testing

/// A push whose reply contains the following page (protocol.md §6.8).
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

    /// A client that resynchronises fully also receives its own changes, even if it was the only writer.
    @Test mutating func pageFromTheBeginningHasOwnChanges() async throws {
        let start = try await ana.page(since: nil).checkpoint
        let reply = try await ana.pushAndPull(request(1, ana.put(TestGroup.id(1)), checkpoint: start), since: nil)
        #expect(reply.page?.records.map(\.key.id) == [TestGroup.id(1)])
    }

    /// Records that the push has just written may be left out without reading them. The page contains all others.
    @Test(arguments: 0..<8) mutating func everyPageIsTheOneOfAPullRightAfter(seed: Int) async throws {
        var random = SplitMix64(state: UInt64(seed))
        var devices = [ana, bruno, try await group.device(ana)]
        var checkpoints: [[Checkpoint?]] = [[nil], [nil], [nil]]
        for step in 0..<60 {
            let index = Int.random(in: 0..<3, using: &random)
            var transactions: [PushRequest.Transaction] = []
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let changes = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                    let id = TestGroup.id(UInt64.random(in: 1...12, using: &random))
                    return Int.random(in: 0..<5, using: &random) == 0
                        ? devices[index].delete(id) : devices[index].put(id, "\(step)")
                }
                transactions.append(.init(changes: changes))
            }
            devices[index].number += 1
            let shown = checkpoints[index].randomElement(using: &random) ?? nil
            let push = PushRequest(
                number: devices[index].number, checkpoint: shown, transactions: transactions)
            let since = Bool.random(using: &random) ? shown : checkpoints[index].last ?? nil
            let reply = try await devices[index].pushAndPull(push, since: since)
            let next = try await devices[index].page(since: since)
            #expect(reply.page?.sorted == next.sorted, "seed \(seed), step \(step)")
            if Bool.random(using: &random) { checkpoints[index].append(reply.page?.checkpoint) }
        }
    }

    /// The reply is the stored one, and the page is current.
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

    /// The push is stored even if no page can be made. A pull reports the reason.
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
