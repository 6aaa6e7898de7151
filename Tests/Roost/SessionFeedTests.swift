import Foundation
import Synchronization
import Testing

@testable import Roost

/// Readers of a session's states whose tasks are cancelled while a state is published.
@Suite struct SessionFeedTests {
    /// A thread that published a state held the lock of all readers, and waited for that of a task. The thread that cancelled the task
    /// held them the other way around.
    @Test(.timeLimit(.minutes(2))) func publishingAndCancellingDoNotWaitForEachOther() async {
        let feed = SessionFeed()
        let ended = Mutex(false)
        Thread { while !ended.withLock({ $0 }) { feed.publishAgain() } }.start()
        for _ in 0..<5_000 {
            let stream = feed.follow()
            let task = Task { for await _ in stream {} }
            await Task.yield()
            task.cancel()
            await task.value
        }
        ended.withLock { $0 = true }
    }
}
