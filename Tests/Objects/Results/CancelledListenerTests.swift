import Foundation
import Synchronization
import Testing

@testable import Objects

/// Listeners whose tasks are cancelled while a change is sent to them.
@Suite struct CancelledListenerTests {
    /// A thread that sent a change held the lock of all listeners, and waited for that of a task. The thread that cancelled the task
    /// held them the other way around.
    @Test(.timeLimit(.minutes(2))) func sendingAndCancellingDoNotWaitForEachOther() async throws {
        let hub = ChangeHub()
        let ended = Mutex(false)
        Thread { while !ended.withLock({ $0 }) { hub.post(StoreChange(author: .otherProgram, extent: .unknown)) } }
            .start()
        for _ in 0..<5_000 {
            let stream = try hub.listen(to: [])
            let task = Task { for await _ in stream {} }
            await Task.yield()
            task.cancel()
            await task.value
        }
        ended.withLock { $0 = true }
    }
}
