import RoostModel
import RoostService
import Testing

/// Reports to an operator about the store.
@Suite struct HealthTests {
    private let store = FailingStore()

    @Test(arguments: [StoreError.full, .failing("input/output error")])
    func diskThatRefusesIsSeenWithoutAPush(fault: StoreError) async throws {
        let group = try TestGroup(store: store)
        #expect(await group.service.storageFault() == nil)
        store.fail(with: fault)
        group.clock.advance(milliseconds: 10_000)
        #expect(await group.service.storageFault() == fault)
        store.fail(with: nil)
        group.clock.advance(milliseconds: 10_000)
        #expect(await group.service.storageFault() == nil)
    }

    /// Checks are batched, because an unauthenticated caller may ask.
    @Test func manyQuestionsAreOneWrite() async throws {
        let group = try TestGroup(store: store)
        let before = store.commitCount
        for _ in 0..<100 { #expect(await group.service.storageFault() == nil) }
        #expect(store.commitCount == before + 1)
    }

    @Test func damageStaysUntilACheckFindsNone() async throws {
        let group = try TestGroup(store: store)
        group.service.recordDamage(.damaged("page 7"))
        group.clock.advance(milliseconds: 60_000)
        #expect(await group.service.storageFault() == .damaged("page 7"))
        group.service.recordDamage(nil)
        #expect(await group.service.storageFault() == nil)
    }
}
