import RoostProtocol
import RoostService
import Testing

@Suite struct StorageFailureTests {
    private let store = FailingStore()
    private var device: TestDevice

    init() async throws {
        device = try await TestGroup(store: store).owner()
    }

    @Test(arguments: [StoreError.full, .failing("disk I/O error")])
    mutating func pushIsNotAcknowledgedAndCanBeSentAgain(error: StoreError) async throws {
        let request = PushRequest(
            number: 1, checkpoint: nil, transactions: [.init(changes: [device.put(TestGroup.id(1))])])
        store.fail(with: error)
        let refused = device
        await #expect(throws: error) { _ = try await refused.send(request) }
        #expect(try await device.page(since: nil).records == [])
        store.fail(with: nil)
        #expect(try await device.send(request).results == [.accepted(sequence: 1, outcomes: [])])
    }

    @Test mutating func purgeThatFailsIsTriedAgain() async throws {
        _ = try await device.push(device.put(TestGroup.id(1)))
        _ = try await device.push(device.delete(TestGroup.id(1)))
        for _ in 0..<2 { _ = try await device.pull() }
        device.group.waitPastHorizon()
        store.fail(with: .failing("disk I/O error"))
        _ = try? await device.group.service.purge()
        store.fail(with: nil)
        #expect(try await device.group.service.purge() == 1)
    }

    @Test mutating func fullDiskDoesNotHinderPulls() async throws {
        _ = try await device.push(device.put(TestGroup.id(1)))
        device.group.clock.advance(milliseconds: 2 * 3_600_000)
        store.fail(with: .full)
        _ = try await device.group.service.member(device.token)
        #expect(try await device.page(since: nil).records.count == 1)
    }
}
