internal import Dispatch

/// An executor of the work on large bodies, one job at a time, away from the connections' threads, which stay free for
/// other clients.
final class LargeBodyExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "roost-large-bodies")

    /// The size up to which bodies are parsed on the connection's thread, in some milliseconds.
    private static let largeFromBytes = 512 * 1024

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// Runs the work on a body of `count` bytes.
    func run<Result: Sendable>(_ count: Int, _ work: () async throws -> Result) async throws -> Result {
        guard count > Self.largeFromBytes else { return try await work() }
        return try await withTaskExecutorPreference(self, operation: work)
    }
}
