internal import Dispatch

/// Runs an actor, and tasks that prefer it, on the thread of a transport, so that an answer goes from the socket to the
/// actor and the next request back without waking another thread.
///
/// A task that waits for a continuation is resumed where it prefers to run, and only then returns to its actor: a task that
/// has no preference goes by way of another thread even where the actor is here.
///
/// What runs here holds up the transport's other transfers meanwhile. After the loop's end, what is left runs on a queue of
/// its own.
package final class LoopExecutor: SerialExecutor, TaskExecutor {
    private let mailbox: Mailbox
    private let late = DispatchQueue(label: "roost.transport.late")

    init(_ mailbox: Mailbox) {
        self.mailbox = mailbox
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        guard !mailbox.post(job, on: self) else { return }
        late.async { self.run(job) }
    }

    /// Only one job runs at a time, so each has the actor to itself, whether it needs it or not.
    func run(_ job: UnownedJob) {
        job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    }
}
