import Foundation
import GRDB
import RoostModel
import RoostSQLite
import Simulation
import Testing

/// Writes through the VFS shim are as durable as without it.
@Suite struct CoalescingVFSTests {
    /// Makes a simulated disk for one test case.
    private static func disk(_ name: String) throws -> SimulatedDisk { try SimulatedDisk("coalescing-\(name)") }

    private static func workload(_ count: Int, seed: UInt64) -> [Work] {
        var random = SplitMix64(state: seed)
        return (0..<count).map { _ in Work.random(using: &random) }
    }

    // MARK: Crashes

    /// The process dies or the power fails in each operation of the disk, one after the other.
    @Test(arguments: SimulatedDisk.Crash.allCases, ["NORMAL", "FULL"])
    func whatWasCommittedOutlivesEveryCrash(crash: SimulatedDisk.Crash, synchronous: String) throws {
        let disk = try Self.disk("crash-\(crash)-\(synchronous)")
        defer { disk.clear() }
        let path = disk.path("items")
        let workload = Self.workload(8, seed: 5)
        var deaths = 0
        for operation in 1... {
            disk.clear()
            let file = try ItemFile(path, synchronous: synchronous)
            try file.makeTable()
            disk.sync()
            disk.die(after: UInt64(operation))
            // Every state that was committed, and the state of the commit in progress.
            var states: [Content] = [[:]]
            var next: Content?
            do {
                for work in workload {
                    next = work.result(on: states[states.count - 1])
                    try file.play(work)
                    states.append(next ?? [:])
                    next = nil
                }
            } catch {
                #expect(disk.isDead, "\(error)")
                if !disk.isDead { break }
            }
            let isOver = !disk.isDead
            _ = disk.crash(crash, seed: UInt64(operation))
            try? file.close()
            let reopened = try ItemFile(path, isCoalesced: false)
            let found = try reopened.content()
            try reopened.close()
            // At NORMAL, a loss of power may lose the latest commits; the file then has some earlier committed state.
            let isSure = crash == .process || synchronous == "FULL"
            let allowed = (isSure ? states.suffix(1) : states[...]) + [next].compactMap(\.self)
            #expect(allowed.contains(found), "after a crash in operation \(operation)")
            if isOver { break }
            deaths += 1
        }
        // Fewer crashes would not cover the WAL, its checkpoint and its restart.
        #expect(deaths > 60)
    }

    // MARK: Failures

    /// Each operation of the disk fails once, one after the other.
    @Test(arguments: [ResultCode.SQLITE_FULL, .SQLITE_IOERR_WRITE])
    func failedTransactionIsToldAndChangesNothing(code: ResultCode) throws {
        let disk = try Self.disk("failure-\(code.rawValue)")
        defer { disk.clear() }
        let path = disk.path("items")
        let workload = Self.workload(8, seed: 9)
        var errors = 0
        for operation in 1... {
            disk.clear()
            let file = try ItemFile(path, synchronous: "FULL")
            try file.makeTable()
            let before = disk.failures(isFull: true) + disk.failures(isFull: false)
            disk.fail(after: UInt64(operation), with: code.rawValue, count: 1)
            var expected: Content = [:]
            let reader = try ItemFile(path, isCoalesced: false)
            for work in workload {
                let next = work.result(on: expected)
                do {
                    try file.play(work)
                    expected = next
                } catch {
                    errors += 1
                    // A failed checkpoint comes after its commit.
                    if work.checkpoint != nil, try reader.content() == next { expected = next }
                }
                #expect(try reader.content() == expected, "after a failure of operation \(operation)")
                #expect(try file.content() == expected)
            }
            try reader.close()
            try file.close()
            guard disk.failures(isFull: true) + disk.failures(isFull: false) > before else { break }
        }
        #expect(errors > 40)
    }

    /// Each operation of the disk fails once, and the program continues its transaction regardless.
    @Test(arguments: [ResultCode.SQLITE_FULL, .SQLITE_IOERR_WRITE])
    func failureThatIsNotHeededLeavesNoHole(code: ResultCode) throws {
        let disk = try Self.disk("unheeded-\(code.rawValue)")
        defer { disk.clear() }
        let path = disk.path("items")
        let workload = Self.workload(8, seed: 3)
        for operation in 1... {
            disk.clear()
            let file = try ItemFile(path)
            try file.makeTable()
            let reader = try ItemFile(path, isCoalesced: false)
            let before = disk.failures(isFull: true) + disk.failures(isFull: false)
            disk.fail(after: UInt64(operation), with: code.rawValue, count: 1)
            var expected: Content = [:]
            for work in workload {
                expected = try file.playOn(work, expected)
                #expect(try reader.content() == expected, "after a failure of operation \(operation)")
            }
            try reader.close()
            try file.close()
            guard disk.failures(isFull: true) + disk.failures(isFull: false) > before else { break }
        }
    }

    // MARK: Other connections

    /// Three connections write interleaved, one of them through the default VFS. After each commit, the bytes of the two files
    /// alone contain everything that was committed.
    @Test(arguments: 1...12)
    func nothingIsHeldBackFromOthers(seed: UInt64) throws {
        let (disk, copy) = (try Self.disk("others-\(seed)"), try Self.disk("others-\(seed)-copy"))
        defer { for disk in [disk, copy] { disk.clear() } }
        let path = disk.path("items")
        var random = SplitMix64(state: seed)
        var files = [try ItemFile(path), try ItemFile(path), try ItemFile(path, isCoalesced: false)]
        try files[0].makeTable()
        var content: Content = [:]
        for round in 0..<60 {
            let work = Work.random(using: &random)
            let place = Int.random(in: 0..<3, using: &random)
            try files[place].play(work)
            content = work.result(on: content)
            for file in files { #expect(try file.content() == content, "in round \(round)") }
            copy.clear()
            copy.put(disk.image(of: "items"), as: "items")
            let alone = try ItemFile(copy.path("items"), isCoalesced: false)
            #expect(try alone.content() == content, "from the files of round \(round)")
            try alone.close()
            if Int.random(in: 0..<10, using: &random) == 0 {
                try files[place].close()
                files[place] = try ItemFile(path, isCoalesced: place < 2)
            }
        }
        for file in files { try file.close() }
    }

    // MARK: Batching

    @Test func transactionIsWrittenInFewCalls() throws {
        let disk = try Self.disk("calls")
        defer { disk.clear() }
        let path = disk.path("items")
        let work = Work(steps: (0..<12).map { .put($0, Array(repeating: 7, count: 20_000)) }, commits: true)
        var calls: [UInt64] = []
        for isCoalesced in [true, false] {
            disk.clear()
            let file = try ItemFile(path, isCoalesced: isCoalesced)
            try file.makeTable()
            disk.startCounting()
            try file.play(work)
            calls.append(disk.operations)
            try file.close()
        }
        #expect(calls[0] * 20 < calls[1], "\(calls)")
    }

    @Test(arguments: [
        "items", "a b", "what?vfs=unix", "half#way", "100%25", "é/…", "'\"&=;+", "#\u{fe0f}\u{20e3}", "?\u{301}",
    ])
    func fileIsWhereItsPathSays(name: String) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "roost-vfs-\(UUID().uuidString)")
        let path = folder.path + "/" + name
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = try ItemFile(path)
        try file.makeTable()
        try file.play(Work(steps: [.put(1, [1])], commits: true))
        #expect(FileManager.default.fileExists(atPath: path))
        #expect(FileManager.default.fileExists(atPath: path + "-wal"))
        let plain = try ItemFile(path, isCoalesced: false)
        #expect(try plain.content() == [1: [1]])
        try plain.close()
        try file.close()
    }
}
