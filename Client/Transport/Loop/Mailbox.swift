internal import CCurl
internal import Glibc
internal import Synchronization

/// What tasks hand to the loop's thread, and the bell that wakes it.
///
/// `@unchecked Sendable` for `multi` alone, the rest is in mutexes. Of libcurl's functions only `curl_multi_wakeup` is
/// called on it here, which may be called from any thread; and only in ``ring()``, until ``end()`` puts the bell away, which
/// the loop waits for before it frees the handle.
final class Mailbox: @unchecked Sendable {
    typealias Reply = CheckedContinuation<Result<HTTPResponse, TransportError>, Never>

    enum Command: Sendable {
        case start(RequestID, HTTPRequest, PendingBody?, Reply)
        /// The body of a request is known that was begun without it.
        case goOn(RequestID)
        case cancel(RequestID)
        /// A piece of an actor or a task that runs on the loop's thread.
        case run(UnownedJob, on: LoopExecutor)
    }

    /// What the loop took out.
    struct Batch {
        var commands: [Command] = []
        /// Whether to end every transfer and leave.
        var isClosing = false
    }

    private struct Contents {
        var batch = Batch()
        var isOver = false
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    private let multi: OpaquePointer
    private let contents = Mutex(Contents())
    /// Whether the bell may be rung. Apart from the contents: the loop takes those as soon as it wakes, and would only fall
    /// asleep again behind a lock that the one who rings still holds.
    private let canRing = Mutex(true)
    /// The loop's thread, which looks here before it sleeps; 0 until it runs.
    private let thread = Atomic<UInt>(0)

    init(waking multi: OpaquePointer) {
        self.multi = multi
    }

    /// Hands `command` over and wakes the loop; a command to a mailbox that is closing answers itself.
    func post(_ command: Command) {
        let isFirst: Bool? = contents.withLock { contents in
            guard !contents.batch.isClosing else { return nil }
            contents.batch.commands.append(command)
            return contents.batch.commands.count == 1
        }
        // The loop takes all commands at once: only the first needs to ring.
        if isFirst ?? false { ring() }
        if isFirst == nil, case .start(_, _, _, let reply) = command { reply.resume(returning: .failure(.shutDown)) }
    }

    /// Hands a job over and wakes the loop.
    ///
    /// - Returns: Whether the loop will run it; `false` once it has ended.
    func post(_ job: UnownedJob, on executor: LoopExecutor) -> Bool {
        let isFirst: Bool? = contents.withLock { contents in
            guard !contents.isOver else { return nil }
            contents.batch.commands.append(.run(job, on: executor))
            return contents.batch.commands.count == 1
        }
        if isFirst ?? false { ring() }
        return isFirst != nil
    }

    /// To be called by the loop's thread, first of all.
    func beginLoop() { thread.store(pthread_self(), ordering: .relaxed) }

    /// Whether nothing waits: the loop may sleep.
    var isEmpty: Bool { contents.withLock { $0.batch.commands.isEmpty && !$0.batch.isClosing } }

    /// Whether commands are taken.
    var isOpen: Bool { contents.withLock { !$0.batch.isClosing } }

    private func ring() {
        guard thread.load(ordering: .relaxed) != pthread_self() else { return }
        canRing.withLock { if $0 { curl_multi_wakeup(multi) } }
    }

    /// Asks the loop to end; `closer` is resumed when it has.
    func close(_ closer: CheckedContinuation<Void, Never>? = nil) {
        let isOver = contents.withLock { contents in
            if contents.isOver { return true }
            contents.batch.isClosing = true
            if let closer { contents.closers.append(closer) }
            return false
        }
        if isOver { closer?.resume() } else { ring() }
    }

    /// Everything that was posted since the last call.
    func take() -> Batch {
        contents.withLock { contents in
            defer { contents.batch.commands = [] }
            return contents.batch
        }
    }

    /// Tells that the loop has ended: from here on `multi` is not touched.
    ///
    /// - Returns: Whom to resume once it is freed; `nil`, and the loop goes on, if something was posted since ``take()``.
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
