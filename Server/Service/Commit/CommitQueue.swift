internal import Foundation
internal import RoostModel
internal import Synchronization

/// Makes writes that wait at the same time share one commit.
///
/// A piece of work that shares a commit runs in a savepoint of its own: one that is refused takes nothing from the others. One
/// that is alone needs none.
package final class CommitQueue: Sendable {
    /// Who runs the writes.
    package enum Mode: Hashable, Sendable {
        /// A thread of its own, so that callers never wait for the disk on theirs.
        case thread
        /// The caller where nobody else commits at that moment, else the thread: saves two changes of threads where a commit
        /// does not wait for the disk.
        case eager
        /// The caller, at once: for tests and simulations that run in one thread.
        case inline
    }

    /// What a piece of work writes.
    package enum Work: Hashable, Sendable {
        /// The ends of scopes' logs, which it tells ``ScopeTails`` itself.
        case log
        case anything
    }

    /// Pieces of work that share one commit at most.
    static let groupMax = 64
    /// Pieces of work that may wait.
    static let waitingMax = 8192

    /// One piece of work and what follows it.
    struct Job: Sendable {
        let work: Work
        /// Throws what spoils the whole group; where it is alone, whatever it is refused for.
        let run: @Sendable (any StoreTransaction, _ isAlone: Bool) throws -> Void
        /// Called when the group is durable, or with what spoiled it.
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

    /// - Parameter tails: Are emptied where anything but logs was written, before the work's callers go on.
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
    ///   - work: What `body` writes.
    ///   - then: Called when it is durable, before the caller goes on.
    /// - Returns: What `body` returned, once that is durable.
    /// - Throws: What `body` threw, or ``StoreError``; nothing of it is stored then.
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

    /// Finishes what waits, and takes nothing more; returns when the thread is done.
    package func stop() {
        state.withLock { $0.isStopped = true }
        condition.lock()
        condition.broadcast()
        while state.withLock({ $0.isThreadRunning }) { condition.wait() }
        condition.unlock()
    }

    /// How many pieces of work wait for the next commit.
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

    /// - Returns: Whether the thread has something to do.
    private func ended() -> Bool {
        state.withLock { state in
            state.isCommitting = false
            return !state.jobs.isEmpty || state.isStopped
        }
    }

    private func wakeThread() {
        // The thread is either past its look at the jobs, and waits by now, or will look again. It is woken once the lock is
        // free: it takes it first.
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

    /// Waits for work; `nil` when there is none and will be none.
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
            // Nobody can say for sure what a failing disk has; what is refused is taken back.
            if error is StoreError { tails.forget() }
            #if ROOST_SEEDED_BUGS
                if SeededBug.acknowledgeBeforeCommit.isOn { return group.forEach { $0.finish(nil) } }
            #endif
            for job in group { job.finish(error) }
        }
    }
}

/// Why a piece of work was not begun.
package enum CommitError: Error, Hashable, Sendable {
    /// The server is stopping.
    case stopping
    /// Too much is waiting already.
    case overloaded
}
