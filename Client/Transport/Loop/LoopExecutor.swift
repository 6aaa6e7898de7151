internal import Dispatch

/// An executor that runs an actor, and tasks that prefer it, on the thread of a transport. A response then reaches
/// the actor, and the next request the socket, without waking another thread.
///
/// A task that waits for a continuation is resumed on its preferred executor, and only then returns to its actor.
/// A task without a preference switches to another thread first, even if its actor is on this one.
///
/// Work on this executor delays the transport's other transfers. After the loop has ended, remaining jobs run on a
/// separate queue.
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

    /// Runs a job with exclusive access: only one job runs at a time on this executor.
    func run(_ job: UnownedJob) {
        job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    }
}
