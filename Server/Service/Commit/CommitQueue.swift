internal import Foundation
internal import RoostModel
internal import Synchronization

/// A queue of writes in which concurrent writes share one commit.
///
/// A job that shares a commit runs in a savepoint of its own, so that a refused one does not affect the others. A single
/// job needs none.
package final class CommitQueue: Sendable {
    /// The thread that runs the writes.
    package enum Mode: Hashable, Sendable {
        /// A thread of its own, so that callers never wait for the disk on their threads.
        case thread
        /// The caller's thread if no other commit is running, and otherwise the queue's thread. It saves two changes of
        /// threads where a commit does not wait for the disk.
        case eager
        /// The caller's thread, at once: for tests and simulations that run in one thread.
        case inline
    }

    /// The data that a job writes.
    package enum Work: Hashable, Sendable {
        /// The ends of scopes' logs, of which the job notifies ``ScopeTails`` itself.
        case log
        case anything
    }

    /// The maximum number of jobs that share one commit.
    static let groupMax = 64
    /// The maximum number of waiting jobs.
    static let waitingMax = 8192

    /// A write and its completion.
    struct Job: Sendable {
        let work: Work
        /// Throws an error that fails the whole group, or, for a single job, its refusal.
        let run: @Sendable (any StoreTransaction, _ isAlone: Bool) throws -> Void
        /// Called when the group is durable, or with the error that failed it.
        let finish: @Sendable ((any Error)?) -> Void
    }

    private struct State {
        var jobs: [Job] = []
        var isCommitting = false
        var isStopped = false
        var isThreadRunning = false
    }

    private let store: any Store
    private let tails: ScopeTails
    let mode: Mode
    private let state = Mutex(State())
    private let condition = NSCondition()

    /// Creates a queue.
    ///
    /// - Parameter tails: Cleared after a job that wrote anything but logs, before the job's caller continues.
    package init(_ store: any Store, tails: ScopeTails = ScopeTails(), mode: Mode) {
        self.store = store
        self.tails = tails
        self.mode = mode
        guard mode != .inline else { return }
        state.withLock { $0.isThreadRunning = true }
        let thread = Thread { [self] in work() }
        thread.name = "roost-commit"
        thread.start()
    }

    /// Runs `body` in the next commit.
    ///
    /// - Parameters:
    ///   - work: The data that `body` writes.
    ///   - then: Called when the write is durable, before the caller continues.
    /// - Returns: The result of `body`, once it is durable.
    /// - Throws: Errors of `body`, or ``StoreError``. Nothing of the write is stored then.
    package func commit<Result: Sendable>(
        writing work: Work = .anything, _ body: @escaping @Sendable (any StoreTransaction) throws -> Result,
        then: @escaping @Sendable (Result) -> Void = { _ in }
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            let outcome = Mutex<Swift.Result<Result, any Error>?>(nil)
            let job = Job(work: work) { transaction, isAlone in
                do {
                    let run = { try body(transaction) }
                    let result = if isAlone { try run() } else { try transaction.savepoint(run) }
                    outcome.withLock { $0 = .success(result) }
                } catch {
                    if isAlone || error is StoreError && !Self.concernsOneJob(error) { throw error }
                    outcome.withLock { $0 = .failure(error) }
                }
            } finish: { failure in
                let result = failure.map { .failure($0) } ?? outcome.withLock { $0 } ?? .failure(CancellationError())
                if case .success(let value) = result { then(value) }
                continuation.resume(with: result)
            }
            submit(job)
        }
    }

    /// Finishes the waiting jobs and refuses new ones. It returns when the thread has ended.
    package func stop() {
        state.withLock { $0.isStopped = true }
        condition.lock()
        condition.broadcast()
        while state.withLock({ $0.isThreadRunning }) { condition.wait() }
        condition.unlock()
    }

    /// The number of jobs that wait for the next commit.
    package var waitingCount: Int { state.withLock { $0.jobs.count } }

    private static func concernsOneJob(_ error: any Error) -> Bool {
        if case .damaged = error as? StoreError { true } else { false }
    }

    private func submit(_ job: Job) {
        enum Fate { case refused(CommitError), here, queued }
        let fate: Fate = state.withLock { state in
            if state.isStopped { return .refused(.stopping) }
            if mode == .inline { return .here }
            if mode == .eager, !state.isCommitting, state.jobs.isEmpty {
                state.isCommitting = true
                return .here
            }
            guard state.jobs.count < Self.waitingMax else { return .refused(.overloaded) }
            state.jobs.append(job)
            return .queued
        }
        switch fate {
        case .refused(let error): job.finish(error)
        case .queued: wakeThread()
        case .here:
            run([job])
            if mode == .eager, ended() { wakeThread() }
        }
    }

    /// Records the end of a commit.
    ///
    /// - Returns: Whether the thread has to continue.
    private func ended() -> Bool {
        state.withLock { state in
            state.isCommitting = false
            return !state.jobs.isEmpty || state.isStopped
        }
    }

    private func wakeThread() {
        // The thread has either checked the jobs, and waits by now, or will check them again. It is signalled after the
        // lock is released, because it acquires the lock first.
        condition.lock()
        condition.unlock()
        condition.signal()
    }

    private func work() {
        while let group = next() {
            run(group)
            _ = ended()
        }
        condition.lock()
        state.withLock { $0.isThreadRunning = false }
        condition.broadcast()
        condition.unlock()
    }

    /// Waits for jobs; returns `nil` when there is none and will be none.
    private func next() -> [Job]? {
        condition.lock()
        defer { condition.unlock() }
        while true {
            let (group, isStopped) = state.withLock { state in
                if state.isCommitting { return ([Job](), false) }
                let group = Array(state.jobs.prefix(Self.groupMax))
                state.jobs.removeFirst(group.count)
                state.isCommitting = !group.isEmpty
                return (group, state.isStopped)
            }
            if !group.isEmpty { return group }
            if isStopped { return nil }
            condition.wait()
        }
    }

    private func run(_ group: [Job]) {
        do {
            try store.write { transaction in
                for job in group { try job.run(transaction, group.count == 1) }
            }
            if group.contains(where: { $0.work != .log }) { tails.forget() }
            for job in group { job.finish(nil) }
        } catch StoreError.cannotUndo where group.count > 1 {
            for job in group { run([job]) }
        } catch {
            // After a store error, the state of a failing disk is uncertain. A refused job is rolled back and changes
            // nothing.
            if error is StoreError { tails.forget() }
            #if ROOST_SEEDED_BUGS
                if SeededBug.acknowledgeBeforeCommit.isOn { return group.forEach { $0.finish(nil) } }
            #endif
            for job in group { job.finish(error) }
        }
    }
}

/// The reason why a job was refused.
package enum CommitError: Error, Hashable, Sendable {
    /// The server is stopping.
    case stopping
    /// Too many jobs are waiting already.
    case overloaded
}
