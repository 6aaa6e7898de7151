import Foundation
import Replica
import Testing

/// A watcher that tells by itself of nothing for an hour: what it says has a reason.
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

    /// More than the pair of sockets has room for: none of it waits, and all are told.
    @Test(.timeLimit(.minutes(1))) func manyLooksAreOne() async {
        let (watcher, told) = watcher()
        var turns = told.makeAsyncIterator()
        for _ in 0..<1_000_000 { watcher.look() }
        await turns.next()
        withExtendedLifetime(watcher) {}
    }

    @Test(.timeLimit(.minutes(1))) func tellsOfWhatIsWrittenToTheLog() async throws {
        let (watcher, told) = watcher()
        defer { try? FileManager.default.removeItem(atPath: file + "-wal") }
        var turns = told.makeAsyncIterator()
        for number in 1...3 {
            try Data("\(number)".utf8).write(to: URL(fileURLWithPath: file + "-wal"))
            await turns.next()
        }
        // And some time later, when the disk may have it.
        await turns.next()
        withExtendedLifetime(watcher) {}
    }

    /// Its thread lets go of what it calls.
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
