import Foundation
import RoostService
import SQLiteStore
import Synchronization
import Testing

/// Work that shares one commit and is so large that SQLite writes pages before the end of the transaction.
@Suite struct LargeGroupTests {
    private struct Refusal: Error {}

    /// Writes more than the cache of a connection holds. Every page goes into the WAL, and some frames are then overwritten in
    /// place.
    private static func fill(_ transaction: any StoreTransaction) throws {
        for name in 0..<6000 {
            for count in [20_000, 4000] {
                try transaction.set("large \(name)", to: Array(repeating: 1, count: count))
            }
        }
    }

    /// Returns the store that a crash at this moment would leave: another connection opens copies of the files.
    private static func afterCrash(of path: String) throws -> SQLiteStore {
        let copy = try TemporaryFile.path()
        for suffix in ["", "-wal"] { try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix) }
        return try SQLiteStore(path: copy, synchronous: .normal)
    }

    @Test func refusedWorkTakesNothingFromTheRestNorFromTheFile() async throws {
        let path = try TemporaryFile.path()
        let store = try SQLiteStore(path: path, synchronous: .normal)
        let queue = CommitQueue(store, mode: .thread)
        // While the first commit is in progress, the others queue up for the next one.
        let gate = DispatchSemaphore(value: 0)
        let runs = Mutex(0)
        let isHeld = Mutex(false)
        let first = Task {
            try await queue.commit { _ in
                isHeld.withLock { $0 = true }
                gate.wait()
            }
        }
        while !isHeld.withLock({ $0 }) { await Task.yield() }
        let refused = Task {
            try await queue.commit { transaction in
                runs.withLock { $0 += 1 }
                try Self.fill(transaction)
                throw Refusal()
            }
        }
        while queue.waitingCount < 1 { await Task.yield() }
        let value = Array(repeating: UInt8(3), count: 40_000)
        let kept = Task {
            try await queue.commit { for name in 0..<300 { try $0.set("kept \(name)", to: value) } }
        }
        while queue.waitingCount < 2 { await Task.yield() }
        gate.signal()
        try await first.value
        await #expect(throws: Refusal.self) { try await refused.value }
        try await kept.value
        // The refused work ran once in the shared commit and once alone.
        #expect(runs.withLock { $0 } == 2)
        for store in [store, try Self.afterCrash(of: path)] {
            for name in 0..<300 { #expect(try store.read { try $0.setting("kept \(name)") } == value) }
            #expect(try store.read { try $0.setting("large 0") } == nil)
        }
        queue.stop()
        try store.close()
    }
}
