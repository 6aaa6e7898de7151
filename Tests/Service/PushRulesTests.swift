import RoostModel
import RoostProtocol
import RoostService
import Testing

@Suite struct PushRulesTests {
    private let group: TestGroup
    private var device: TestDevice

    init() async throws {
        group = try TestGroup()
        device = try await group.owner()
    }

    private func request(_ number: UInt64, _ changes: Change...) -> PushRequest {
        PushRequest(number: number, checkpoint: nil, transactions: [.init(changes: changes)])
    }

    // MARK: Numbers

    @Test mutating func samePushAgainGetsTheSameBytes() async throws {
        let body = request(1, device.put(TestGroup.id(1))).protobuf()
        let first = try await device.sendRaw(body)
        group.clock.advance(milliseconds: 5000)
        #expect(try await device.sendRaw(body) == first)
        #expect(try group.service.head(for: device.member).sequence == 1)
    }

    @Test mutating func sameNumberWithOtherContentIsAFork() async throws {
        _ = try await device.send(request(1, device.put(TestGroup.id(1))))
        let other = request(1, device.put(TestGroup.id(2)))
        #expect(await refusal { try await device.send(other) } == .replicaForked)
    }

    @Test mutating func lowerNumberIsAFork() async throws {
        let first = request(1, device.put(TestGroup.id(1)))
        _ = try await device.send(first)
        _ = try await device.send(request(2, device.put(TestGroup.id(2))))
        #expect(await refusal { try await device.send(first) } == .replicaForked)
    }

    @Test mutating func gapMeansTheServerWasRolledBack() async throws {
        let push = request(2, device.put(TestGroup.id(1)))
        #expect(await refusal { try await device.send(push) } == .serverRolledBack)
    }

    @Test mutating func refusedPushDoesNotUseItsNumberUp() async throws {
        let early = request(
            1,
            Change(
                key: TestGroup.key(TestGroup.id(1)), stamp: .init(time: 0, replica: device.member.replica),
                kind: .delete))
        #expect(await refusal { try await device.send(early) } == .stampsNotIncreasing)
        _ = try await device.send(request(1, device.put(TestGroup.id(1))))
    }

    @Test(arguments: [0, UInt64(Int64.max) + 1])
    mutating func numberOutOfRangeIsABadRequest(number: UInt64) async throws {
        let push = request(number, device.put(TestGroup.id(1)))
        #expect(await refusal { try await device.send(push) } == .badRequest)
    }

    // MARK: Stamps

    @Test mutating func stampFiveMinutesAheadIsAccepted() async throws {
        device.clock = (group.clock.now + 300_000) << 16 - 1
        _ = try await device.push(device.put(TestGroup.id(1)))
    }

    @Test mutating func stampFurtherAheadIsRefusedWithTheServersTime() async throws {
        device.clock = (group.clock.now + 300_001) << 16
        let push = request(1, device.put(TestGroup.id(1)))
        do {
            _ = try await device.send(push)
            Issue.record("The push was accepted.")
        } catch let error as ProtocolError {
            #expect(error.code == .clockAhead)
            #expect(error.serverTime == group.clock.now)
        }
        #expect(try group.service.head(for: device.member).records == 0)
    }

    @Test mutating func equalStampsAreRefused() async throws {
        let change = device.put(TestGroup.id(1))
        var other = device.put(TestGroup.id(2))
        other.stamp = change.stamp
        let push = request(1, change, other)
        #expect(await refusal { try await device.send(push) } == .stampsNotIncreasing)
    }

    @Test mutating func stampNotAboveTheLastStoredIsRefused() async throws {
        let old = device.put(TestGroup.id(1))
        _ = try await device.push(device.put(TestGroup.id(2)))
        #expect(await refusal { try await device.push(old) } == .stampsNotIncreasing)
    }

    @Test mutating func anotherReplicasStampIsRefused() async throws {
        var change = device.put(TestGroup.id(1))
        change.stamp = HybridTimestamp(time: change.stamp.time, replica: ReplicaID(rawValue: 5))
        let push = request(1, change)
        #expect(await refusal { try await device.send(push) } == .foreignStamp)
    }

    @Test mutating func sameRecordTwiceInAPushKeepsTheLater() async throws {
        let changes = [device.put(TestGroup.id(1), "first"), device.put(TestGroup.id(1), "second")]
        let reply = try await device.push([changes])
        #expect(reply.results == [.accepted(sequence: 1, outcomes: [])])
        #expect(try await device.page(since: nil).records.first?.put?.stamp == changes[1].stamp)
    }

    // MARK: Roles and shape

    @Test mutating func viewerMayNotPush() async throws {
        var viewer = try await group.device(device, role: .viewer)
        #expect(await refusal { try await viewer.push(viewer.put(TestGroup.id(1))) } == .forbidden)
    }

    @Test mutating func tooManyChangesAreTooLarge() async throws {
        let changes = (0...UInt64(Limits().changesPerPushMax)).map { device.put(TestGroup.id($0)) }
        #expect(await refusal { try await device.push([changes]) } == .tooLarge)
    }

    @Test mutating func emptyTransactionIsABadRequest() async throws {
        #expect(await refusal { try await device.push([[]]) } == .badRequest)
    }

    @Test mutating func onlyTheLastTransactionMayContinue() async throws {
        var push = request(1, device.put(TestGroup.id(1)))
        push.transactions[0].continues = true
        push.transactions.append(.init(changes: [device.put(TestGroup.id(2))]))
        #expect(await refusal { try await device.send(push) } == .badRequest)
    }

    @Test(arguments: [[], [0xFF], [0x1A, 0x05, 0x0A]] as [[UInt8]])
    func bytesThatAreNoPushAreABadRequest(bytes: [UInt8]) async throws {
        #expect(await refusal { try await device.sendRaw(bytes) } == .badRequest)
    }

    @Test func pushWithoutTransactionsIsAccepted() async throws {
        let reply = try await device.send(PushRequest(number: 1, checkpoint: nil, transactions: []))
        #expect(reply.results == [])
        #expect(try group.service.standing(of: device.member).lastPush == 1)
    }
}
