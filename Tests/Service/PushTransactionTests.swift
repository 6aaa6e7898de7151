import RoostModel
import RoostProtocol
import RoostService
import Testing

@Suite struct PushTransactionTests {
    private var device: TestDevice

    init() async throws {
        device = try await TestGroup().owner()
    }

    private mutating func malformed(_ id: RecordID) -> Change {
        Change(key: TestGroup.key(id), stamp: device.stamp(), kind: .put([0xFF, 0xFF], base: nil))
    }

    private static func code(_ result: PushReply.Result) -> ErrorCode? {
        if case .refused(let refusal) = result { refusal.code } else { nil }
    }

    @Test mutating func eachTransactionGetsOneSequence() async throws {
        let reply = try await device.push([
            [device.put(TestGroup.id(1)), device.put(TestGroup.id(2))], [device.put(TestGroup.id(3))],
        ])
        #expect(reply.results == [.accepted(sequence: 1, outcomes: []), .accepted(sequence: 2, outcomes: [])])
    }

    @Test mutating func malformedPutRefusesOnlyItsTransaction() async throws {
        let reply = try await device.push([
            [device.put(TestGroup.id(1))], [device.put(TestGroup.id(2)), malformed(TestGroup.id(3))],
            [device.put(TestGroup.id(4))],
        ])
        #expect(reply.results[0] == .accepted(sequence: 1, outcomes: []))
        #expect(Self.code(reply.results[1]) == .malformedPut)
        #expect(reply.results[2] == .accepted(sequence: 2, outcomes: []))
        #expect(try await device.page(since: nil).records.map(\.key.id) == [TestGroup.id(1), TestGroup.id(4)])
    }

    @Test mutating func refusalNamesTheChangeAndSendsTheServersSlots() async throws {
        _ = try await device.push(device.put(TestGroup.id(1), "stored"))
        let reply = try await device.push([[device.put(TestGroup.id(1), "lost"), malformed(TestGroup.id(2))]])
        guard case .refused(let refusal) = reply.results[0] else {
            Issue.record("The transaction was accepted.")
            return
        }
        #expect(refusal.index == 1)
        #expect(reply.current.map(\.key.id) == [TestGroup.id(1)])
        #expect(reply.current.first?.put?.encoded == TestGroup.encoded("stored"))
    }

    @Test mutating func putOverItsLimitIsTooLarge() async throws {
        let long = String(repeating: "x", count: 256 * 1024)
        let reply = try await device.push(device.put(TestGroup.id(1), long))
        #expect(Self.code(reply.results[0]) == .tooLarge)
    }

    @Test(arguments: [128, 129])
    mutating func propertiesOfARecordAreLimited(count: Int) async throws {
        let fields = (1...count).map { ContentCoding.Field(property: PropertyID(UInt32($0)), value: .integer(1)) }
        let put = Put(content: ContentCoding.encode(fields)).encoded()
        let change = Change(key: TestGroup.key(TestGroup.id(1)), stamp: device.stamp(), kind: .put(put, base: nil))
        let reply = try await device.push(change)
        #expect(Self.code(reply.results[0]) == (count > 128 ? .malformedPut : nil))
    }

    @Test mutating func referencesOutOfOrderAreMalformed() async throws {
        let references = [2, 1].map { Put.Reference(relationship: PropertyID($0), target: TestGroup.id(9)) }
        let put = Put(references: references).encoded()
        let change = Change(key: TestGroup.key(TestGroup.id(1)), stamp: device.stamp(), kind: .put(put, base: nil))
        #expect(Self.code(try await device.push(change).results[0]) == .malformedPut)
    }

    @Test func recordsOverTheQuotaAreRefusedAndTheRestGoesOn() async throws {
        var device = try await TestGroup { $0.recordsPerScopeMax = 2 }.owner()
        let reply = try await device.push([
            [device.put(TestGroup.id(1)), device.put(TestGroup.id(2))], [device.put(TestGroup.id(3))],
            [device.put(TestGroup.id(1), "b")],
        ])
        #expect(Self.code(reply.results[1]) == .quotaExceeded)
        #expect(reply.results[2] == .accepted(sequence: 2, outcomes: []))
    }

    @Test func bytesOverTheQuotaAreRefused() async throws {
        var device = try await TestGroup { $0.bytesPerScopeMax = 200 }.owner()
        let reply = try await device.push(device.put(TestGroup.id(1), String(repeating: "x", count: 300)))
        #expect(Self.code(reply.results[0]) == .quotaExceeded)
    }

    // MARK: Transactions that span pushes

    @Test mutating func partsAreMergedWhenTheLastOneComes() async throws {
        let first = try await device.push([[device.put(TestGroup.id(1))]], continues: true)
        #expect(first.results == [.staged])
        #expect(try await device.page(since: nil).records == [])
        _ = try await device.push([[device.put(TestGroup.id(2))]], continues: true)
        let last = try await device.push([[device.put(TestGroup.id(3))], [device.put(TestGroup.id(4))]])
        #expect(last.results == [.accepted(sequence: 1, outcomes: []), .accepted(sequence: 2, outcomes: [])])
        #expect(try await device.page(since: nil).records.count == 4)
    }

    @Test mutating func refusedPartTakesTheOthersAlong() async throws {
        _ = try await device.push([[device.put(TestGroup.id(1))]], continues: true)
        let middle = try await device.push([[malformed(TestGroup.id(2))]], continues: true)
        #expect(Self.code(middle.results[0]) == .malformedPut)
        let last = try await device.push([[device.put(TestGroup.id(3))], [device.put(TestGroup.id(4))]])
        #expect(Self.code(last.results[0]) == .badRequest)
        #expect(last.results[1] == .accepted(sequence: 1, outcomes: []))
        #expect(try await device.page(since: nil).records.map(\.key.id) == [TestGroup.id(4)])
    }

    @Test func spanningTransactionIsLimitedInChanges() async throws {
        var device = try await TestGroup { $0.changesPerTransactionMax = 2 }.owner()
        _ = try await device.push([[device.put(TestGroup.id(1)), device.put(TestGroup.id(2))]], continues: true)
        let last = try await device.push(device.put(TestGroup.id(3)))
        #expect(Self.code(last.results[0]) == .tooLarge)
        #expect(try group(device).records == 0)
    }

    @Test func spanningTransactionIsLimitedInBytes() async throws {
        var device = try await TestGroup { $0.transactionBytesMax = 10 }.owner()
        let reply = try await device.push(device.put(TestGroup.id(1), "more than ten bytes"))
        #expect(Self.code(reply.results[0]) == .tooLarge)
    }

    private func group(_ device: TestDevice) throws -> ScopeHead {
        try device.group.service.head(for: device.member)
    }
}
