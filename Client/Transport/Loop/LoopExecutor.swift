internal import Dispatch

/// Runs an actor on the thread of a transport, so that an answer goes from the socket to the actor and the next request
/// back without waking another thread.
///
/// What the actor does holds up the transport's other transfers meanwhile. After the loop's end, what is left of the actor
/// runs on a queue of its own.
final class LoopExecutor: SerialExecutor {
    private let mailbox: Mailbox
    private let late = DispatchQueue(label: "roost.transport.late")

    init(_ mailbox: Mailbox) {
        self.mailbox = mailbox
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        guard !mailbox.post(job, on: executor) else { return }
        late.async { job.runSynchronously(on: executor) }
    }
}
