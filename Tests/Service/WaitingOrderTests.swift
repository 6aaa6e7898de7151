import Dispatch
import RoostModel
import RoostProtocol
import RoostService
import Synchronization
import Testing

/// With one thread for both, a waiting reader receives a change before its writer receives the reply.
@Suite struct WaitingOrderTests {
    /// A thread that runs jobs one after the other, like a thread that serves connections.
    private final class OneThread: TaskExecutor {
        private let queue = DispatchQueue(label: "one thread")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }

    private final class Order: Sendable {
        private let noted = Mutex<[String]>([])

        func note(_ text: String) { noted.withLock { $0.append(text) } }

        var all: [String] { noted.withLock { $0 } }
    }

    @Test func pageComesBeforeTheReply() async throws {
        let group = try TestGroup()
        var ana = try await group.owner()
        let bruno = try await group.device(ana)
        let service = group.service
        let since = try await bruno.page(since: nil).checkpoint
        let waiter = try #require(service.waitingRoom.enter(bruno.member.replica, in: bruno.member.scope))
        let order = Order()
        let thread = OneThread()
        let (waits, isWaiting) = AsyncStream.makeStream(of: Void.self)
        let page = Task(executorPreference: thread) { [member = bruno.member, order] in
            let page = try await service.pull(PageRequest(since: since), as: .protobuf, for: member, waiter: waiter) {
                isWaiting.finish()
            }
            order.note("page")
            return page
        }
        for await _ in waits {}
        let body = PushRequest(
            number: 1, checkpoint: nil, transactions: [.init(changes: [ana.put(TestGroup.id(1))])]
        ).protobuf()
        let reply = Task(executorPreference: thread) { [member = ana.member, order] in
            _ = try await service.push(body, as: .protobuf, replyAs: .protobuf, by: member)
            order.note("reply")
        }
        try await reply.value
        #expect(try PullReply(protobuf: try await page.value).records.count == 1)
        #expect(order.all == ["page", "reply"])
    }
}
