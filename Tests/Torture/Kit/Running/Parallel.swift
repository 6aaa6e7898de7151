internal import Foundation
internal import Synchronization

/// Runs work on its own threads, by default as many at once as there are processors.
enum Parallel {
    static func run<Item: Sendable>(
        _ items: [Item], threads: Int = ProcessInfo.processInfo.activeProcessorCount,
        _ body: @escaping @Sendable (Item) throws -> Void
    ) throws {
        let state = Mutex<(next: Int, error: (any Error)?)>((0, nil))
        let group = DispatchGroup()
        for _ in 0..<min(threads, items.count) {
            group.enter()
            let thread = Thread {
                defer { group.leave() }
                while true {
                    let item = state.withLock { state -> Item? in
                        guard state.error == nil, state.next < items.count else { return nil }
                        defer { state.next += 1 }
                        return items[state.next]
                    }
                    guard let item else { return }
                    do {
                        try body(item)
                    } catch {
                        state.withLock { $0.error = $0.error ?? error }
                    }
                }
            }
            thread.stackSize = 4 << 20
            thread.start()
        }
        group.wait()
        if let error = state.withLock({ $0.error }) { throw error }
    }
}
