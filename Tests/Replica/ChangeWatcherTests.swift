import Foundation
import Replica
import Synchronization
import Testing

/// A watcher with a fallback poll of an hour, so that every notification has a cause.
@Suite struct ChangeWatcherTests {
    private let file = FileManager.default.temporaryDirectory.appending(path: "roost-watched-\(UUID().uuidString)").path

    private func watcher() -> (watcher: ChangeWatcher, told: AsyncStream<Void>) {
        let (told, continuation) = AsyncStream.makeStream(of: Void.self)
        return (ChangeWatcher(file, standBy: .seconds(3600)) { continuation.yield() }, told)
    }

    @Test(.timeLimit(.minutes(1))) func tellsWhenItIsAsked() async {
        let (watcher, told) = watcher()
        var turns = told.makeAsyncIterator()
        for _ in 0..<3 {
            watcher.look()
            await turns.next()
        }
    }

    /// While the watcher notifies of one change, more requests come than the socket pair has room for. No requester waits,
    /// and all of them lead to one more check.
    @Test(.timeLimit(.minutes(1))) func manyLooksAreOne() async {
        let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
        let goOn = DispatchSemaphore(value: 0)
        let count = Mutex(0)
        let watcher = ChangeWatcher(file, standBy: .seconds(3600)) {
            count.withLock { $0 += 1 }
            continuation.yield()
            goOn.wait()
        }
        var turns = begun.makeAsyncIterator()
        watcher.look()
        await turns.next()
        for _ in 0..<10_000 { watcher.look() }
        goOn.signal()
        await turns.next()
        goOn.signal()
        watcher.look()
        await turns.next()
        goOn.signal()
        #expect(count.withLock { $0 } == 3)
    }

    /// The WAL is written before the disk has it. After each write, the watcher notifies four times, the last time after a
    /// quarter of a second.
    @Test(.timeLimit(.minutes(1))) func tellsOfEachWriteToTheLogAndSomeTimeLater() async throws {
        let log = URL(fileURLWithPath: file + "-wal")
        try Data().write(to: log)
        defer { try? FileManager.default.removeItem(at: log) }
        let (watcher, told) = watcher()
        let handle = try FileHandle(forWritingTo: log)
        defer { try? handle.close() }
        var turns = told.makeAsyncIterator()
        for _ in 0..<2 {
            try handle.write(contentsOf: Data([1]))
            for _ in 0..<4 { await turns.next() }
        }
        withExtendedLifetime(watcher) {}
    }

    /// The watcher's thread releases the closure that it calls.
    @Test(.timeLimit(.minutes(1))) func endsWithItsOwner() async {
        let (ended, continuation) = AsyncStream.makeStream(of: Void.self)
        final class Owner: Sendable {
            let continuation: AsyncStream<Void>.Continuation
            init(_ continuation: AsyncStream<Void>.Continuation) { self.continuation = continuation }
            deinit { continuation.finish() }
        }
        do {
            let owner = Owner(continuation)
            _ = ChangeWatcher(file, standBy: .seconds(3600)) { withExtendedLifetime(owner) {} }
        }
        for await _ in ended {}
    }
}
