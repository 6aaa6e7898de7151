internal import CCurl
internal import Glibc
internal import Synchronization

/// The commands that tasks pass to the loop's thread, and the means to wake it.
///
/// `@unchecked Sendable` because of `multi` alone; the rest is in mutexes. The mailbox calls only
/// `curl_multi_wakeup` on `multi`, which is allowed from any thread. It does so only in ``ring()``, and no longer
/// after ``end()``, for which the loop waits before it frees the handle.
final class Mailbox: @unchecked Sendable {
    typealias Reply = CheckedContinuation<Result<HTTPResponse, TransportError>, Never>

    enum Command: Sendable {
        case start(RequestID, HTTPRequest, PendingBody?, Reply)
        /// Continues a request that was started without its body, which is known now.
        case goOn(RequestID)
        case cancel(RequestID)
        /// Runs a job of an actor or a task on the loop's thread.
        case run(UnownedJob, on: LoopExecutor)
    }

    /// The commands taken by one call of ``take()``.
    struct Batch {
        var commands: [Command] = []
        /// Whether the loop must end every transfer and exit.
        var isClosing = false
    }

    private struct Contents {
        var batch = Batch()
        var isOver = false
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    private let multi: OpaquePointer
    private let contents = Mutex(Contents())
    /// Whether the loop may be woken. The flag is separate from the contents: a woken loop locks the contents
    /// immediately, and would wait again if the waking thread still held that lock.
    private let canRing = Mutex(true)
    /// The loop's thread; 0 until it runs. Commands posted by this thread need no wake-up, since the loop checks the
    /// mailbox before it sleeps.
    private let thread = Atomic<UInt>(0)

    init(waking multi: OpaquePointer) {
        self.multi = multi
    }

    /// Passes `command` to the loop and wakes the loop. If the mailbox is closing, a request is answered immediately.
    func post(_ command: Command) {
        let isFirst: Bool? = contents.withLock { contents in
            guard !contents.batch.isClosing else { return nil }
            contents.batch.commands.append(command)
            return contents.batch.commands.count == 1
        }
        // The loop takes all commands at once: only the first needs to wake it.
        if isFirst ?? false { ring() }
        if isFirst == nil, case .start(_, _, _, let reply) = command { reply.resume(returning: .failure(.shutDown)) }
    }

    /// Passes a job to the loop and wakes the loop.
    ///
    /// - Returns: Whether the loop will run the job; `false` once it has ended.
    func post(_ job: UnownedJob, on executor: LoopExecutor) -> Bool {
        let isFirst: Bool? = contents.withLock { contents in
            guard !contents.isOver else { return nil }
            contents.batch.commands.append(.run(job, on: executor))
            return contents.batch.commands.count == 1
        }
        if isFirst ?? false { ring() }
        return isFirst != nil
    }

    /// Records the loop's thread, which must call this before anything else.
    func beginLoop() { thread.store(pthread_self(), ordering: .relaxed) }

    /// Whether no command is waiting, so that the loop may sleep.
    var isEmpty: Bool { contents.withLock { $0.batch.commands.isEmpty && !$0.batch.isClosing } }

    /// Whether the mailbox accepts commands.
    var isOpen: Bool { contents.withLock { !$0.batch.isClosing } }

    private func ring() {
        guard thread.load(ordering: .relaxed) != pthread_self() else { return }
        canRing.withLock { if $0 { curl_multi_wakeup(multi) } }
    }

    /// Asks the loop to end, and resumes `closer` when it has ended.
    func close(_ closer: CheckedContinuation<Void, Never>? = nil) {
        let isOver = contents.withLock { contents in
            if contents.isOver { return true }
            contents.batch.isClosing = true
            if let closer { contents.closers.append(closer) }
            return false
        }
        if isOver { closer?.resume() } else { ring() }
    }

    /// Returns all commands posted since the last call.
    func take() -> Batch {
        contents.withLock { contents in
            defer { contents.batch.commands = [] }
            return contents.batch
        }
    }

    /// Marks the loop as ended: from here on `multi` is not used.
    ///
    /// - Returns: The continuations to resume once `multi` is freed. `nil` means that commands were posted since
    ///   ``take()`` and the loop must continue.
    func end() -> [CheckedContinuation<Void, Never>]? {
        let closers: [CheckedContinuation<Void, Never>]? = contents.withLock { contents in
            guard contents.batch.commands.isEmpty else { return nil }
            contents.isOver = true
            return contents.closers
        }
        if closers != nil { canRing.withLock { $0 = false } }
        return closers
    }
}
