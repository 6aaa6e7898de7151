import RoostModel
import RoostProtocol
import RoostService
import Testing

@Suite struct PushOutcomeTests {
    private var ana: TestDevice
    private var bruno: TestDevice
    private let id = TestGroup.id(1)

    init() async throws {
        let group = try TestGroup()
        ana = try await group.owner()
        bruno = try await group.device(ana)
    }

    private static func outcomes(_ reply: PushReply) -> [PushReply.Outcome] {
        if case .accepted(_, let outcomes) = reply.results.first { outcomes } else { [] }
    }

    @Test mutating func olderPutIsBeaten() async throws {
        let older = ana.put(id, "ana")
        ana.group.clock.advance(milliseconds: 1)
        let newer = bruno.put(id, "bruno")
        _ = try await bruno.push(newer)
        let reply = try await ana.push(older)
        #expect(Self.outcomes(reply) == [.init(index: 0, kind: .beaten, other: newer.stamp)])
    }

    @Test mutating func newerPutNotEditedFromTheHeldOneReplacesIt() async throws {
        let older = ana.put(id, "ana")
        _ = try await ana.push(older)
        ana.group.clock.advance(milliseconds: 1)
        let reply = try await bruno.push(bruno.put(id, "bruno"))
        #expect(Self.outcomes(reply) == [.init(index: 0, kind: .replaced, other: older.stamp)])
    }

    @Test mutating func editOfWhatWasSeenMeetsNobody() async throws {
        let older = ana.put(id, "ana")
        _ = try await ana.push(older)
        ana.group.clock.advance(milliseconds: 1)
        let reply = try await bruno.push(bruno.put(id, "bruno", base: older.stamp))
        #expect(Self.outcomes(reply) == [])
    }

    @Test mutating func putOlderThanADeleteIsBeatenButKept() async throws {
        let older = ana.put(id, "ana")
        ana.group.clock.advance(milliseconds: 1)
        let delete = bruno.delete(id)
        _ = try await bruno.push(delete)
        let reply = try await ana.push(older)
        #expect(Self.outcomes(reply) == [.init(index: 0, kind: .beaten, other: delete.stamp)])
        let record = try await ana.page(since: nil).records.first
        #expect(record?.put?.stamp == older.stamp)
        #expect(record?.delete == delete.stamp)
    }

    @Test mutating func deleteOlderThanAPutIsBeaten() async throws {
        let delete = ana.delete(id)
        ana.group.clock.advance(milliseconds: 1)
        let put = bruno.put(id, "bruno")
        _ = try await bruno.push(put)
        let reply = try await ana.push(delete)
        #expect(Self.outcomes(reply) == [.init(index: 0, kind: .beaten, other: put.stamp)])
    }

    @Test mutating func ownEarlierChangeIsNobodyElses() async throws {
        _ = try await ana.push(ana.put(id, "first"))
        #expect(Self.outcomes(try await ana.push(ana.put(id, "second"))) == [])
        #expect(Self.outcomes(try await ana.push(ana.delete(id))) == [])
    }

    @Test mutating func baseIsPassedOn() async throws {
        let first = ana.put(id, "first")
        _ = try await ana.push(first)
        _ = try await ana.push(ana.put(id, "second", base: first.stamp))
        #expect(try await bruno.pull().records.first?.put?.base == first.stamp)
    }

    @Test mutating func digestIsThatOfTheRecords() async throws {
        _ = try await ana.push([[ana.put(id, "a"), ana.put(TestGroup.id(2))], [ana.delete(id)]])
        let page = try await bruno.pull()
        var digest = ScopeDigest()
        for record in page.records { digest.replace(SlotStamps(), with: record.stamps, of: record.key) }
        #expect(page.digest == digest)
    }
}
