import RoostService
import Synchronization
import Testing

@Suite struct CommitQueueTests {
    private struct Refusal: Error {}

    private let store = FailingStore()

    @Test func waitingWorkSharesACommit() async throws {
        let queue = CommitQueue(store, mode: .thread)
        let gate = Gate()
        async let first: Void = queue.commit { _ in gate.wait() }
        while !gate.isWaitedFor { await Task.yield() }
        // Nine more arrive during the first commit, and share the next one.
        let others = (0..<9).map { number in
            Task { try await queue.commit { try $0.set("n\(number)", to: []) } }
        }
        while queue.waitingCount < 9 { await Task.yield() }
        gate.open()
        try await first
        for other in others { try await other.value }
        #expect(store.commitCount == 2)
        queue.stop()
    }

    @Test(arguments: [CommitQueue.Mode.thread, .eager])
    func refusedWorkTakesNothingFromTheRest(mode: CommitQueue.Mode) async throws {
        let queue = CommitQueue(store, mode: mode)
        let refused = Task {
            try await queue.commit { transaction in
                try transaction.set("refused", to: [])
                throw Refusal()
            }
        }
        try await queue.commit { try $0.set("kept", to: []) }
        await #expect(throws: Refusal.self) { try await refused.value }
        #expect(try store.read { try $0.setting("kept") } == [])
        #expect(try store.read { try $0.setting("refused") } == nil)
        queue.stop()
    }

    @Test(arguments: [CommitQueue.Mode.thread, .eager])
    func failingDiskFailsTheWorkAndNothingIsStored(mode: CommitQueue.Mode) async throws {
        let queue = CommitQueue(store, mode: mode)
        store.fail(with: .full)
        await #expect(throws: StoreError.full) { try await queue.commit { try $0.set("lost", to: []) } }
        store.fail(with: nil)
        try await queue.commit { try $0.set("stored", to: []) }
        #expect(try store.read { try $0.setting("lost") } == nil)
        #expect(try store.read { try $0.setting("stored") } == [])
        queue.stop()
    }

    @Test(arguments: [CommitQueue.Mode.thread, .eager])
    func stoppedQueueFinishesWhatWaitsAndTakesNothingMore(mode: CommitQueue.Mode) async throws {
        let queue = CommitQueue(store, mode: mode)
        try await queue.commit { try $0.set("stored", to: []) }
        queue.stop()
        await #expect(throws: CommitError.stopping) { try await queue.commit { try $0.set("late", to: []) } }
    }

    @Test func eagerWorkOfManyCallersIsDoneOnceEach() async throws {
        let queue = CommitQueue(store, mode: .eager)
        let callers = (0..<500).map { number in
            Task {
                try await queue.commit { transaction in
                    guard try transaction.setting("n\(number)") == nil else { throw Refusal() }
                    try transaction.set("n\(number)", to: [])
                }
            }
        }
        for caller in callers { try await caller.value }
        queue.stop()
        for number in 0..<500 { #expect(try store.read { try $0.setting("n\(number)") } == []) }
    }

    @Test func followUpRunsOnlyWhenDurable() async throws {
        let queue = CommitQueue(store, mode: .inline)
        let runs = Mutex(0)
        store.fail(with: .full)
        try? await queue.commit({ _ in }, then: { runs.withLock { $0 += 1 } })
        #expect(runs.withLock { $0 } == 0)
        store.fail(with: nil)
        try await queue.commit({ _ in }, then: { runs.withLock { $0 += 1 } })
        #expect(runs.withLock { $0 } == 1)
    }
}
