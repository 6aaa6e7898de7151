import Foundation
import Testing

/// Runs each test on a thread of its own, as the callers of libroost do. Its functions block the calling thread, and wait for tasks,
/// which the threads that tests share could not run meanwhile.
struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        try await withTaskExecutorPreference(ThreadExecutor()) { try await function() }
    }
}

extension Trait where Self == OwnThreads {
    /// Runs each test of the suite on a thread of its own.
    static var onOwnThreads: Self { OwnThreads() }
}

private final class ThreadExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        Thread { job.runSynchronously(on: executor) }.start()
    }
}
