internal import CCurl
internal import Synchronization

/// What tasks hand to the loop's thread, and the bell that wakes it.
///
/// `@unchecked Sendable` for `multi` alone, the rest is in a mutex. Of libcurl's functions only `curl_multi_wakeup` is
/// called on it here, which may be called from any thread; and only under the mutex while ``Contents/isOver`` is false,
/// which the loop sets, under the same mutex, before it frees the handle.
final class Mailbox: @unchecked Sendable {
    typealias Reply = CheckedContinuation<Result<HTTPResponse, TransportError>, Never>

    enum Command: Sendable {
        case start(RequestID, HTTPRequest, Reply)
        case cancel(RequestID)
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

    init(waking multi: OpaquePointer) {
        self.multi = multi
    }

    /// Hands `command` over and wakes the loop; a command to a mailbox that is closing answers itself.
    func post(_ command: Command) {
        let isTaken = contents.withLock { contents in
            guard !contents.batch.isClosing else { return false }
            contents.batch.commands.append(command)
            // The loop takes all commands at once: only the first needs to ring.
            if contents.batch.commands.count == 1 { curl_multi_wakeup(multi) }
            return true
        }
        if !isTaken, case .start(_, _, let reply) = command { reply.resume(returning: .failure(.shutDown)) }
    }

    /// Asks the loop to end; `closer` is resumed when it has.
    func close(_ closer: CheckedContinuation<Void, Never>? = nil) {
        let isOver = contents.withLock { contents in
            if contents.isOver { return true }
            contents.batch.isClosing = true
            if let closer { contents.closers.append(closer) }
            curl_multi_wakeup(multi)
            return false
        }
        if isOver { closer?.resume() }
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
    /// - Returns: Whom to resume once it is freed.
    func end() -> [CheckedContinuation<Void, Never>] {
        contents.withLock { contents in
            contents.isOver = true
            return contents.closers
        }
    }
}
