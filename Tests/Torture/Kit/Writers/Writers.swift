internal import Foundation
internal import Replica
internal import RoostModel
internal import TestProcesses

/// Many processes write one replica while others alternate in synchronising it, and any of them is killed at any moment.
struct Writers {
    private struct Author: Sendable {
        var name: String
        /// Whether the author is SQLite's own shell, rather than the library.
        var isPlain: Bool
    }

    private static let authors = (0..<8).map { Author(name: "w\($0)", isPlain: $0.isMultiple(of: 2)) }

    private let size: Part.Size
    private let seed: UInt64
    private let recorder: Recorder

    init(_ size: Part.Size, seed: UInt64, _ recorder: Recorder) {
        self.size = size
        self.seed = seed
        self.recorder = recorder
    }

    private var pairsEach: Int { size == .full ? 2000 : 100 }

    func run() throws {
        let torture = try TortureStage(recorder, replicas: 2)
        let replica = torture.replicas[0]
        let folder = torture.folder
        let identity = try replicaID(replica)
        let book = WritersBook(writers: Self.authors.count, killsLeast: size == .full ? 200 : 10)
        var work: [Threads.Work] = Self.authors.enumerated().map { index, author in
            .init {
                defer { book.endedWriting() }
                try write(author, replica, folder, SplitMix64(state: seed &+ UInt64(index)), book)
            }
        }
        for syncer in 0..<2 {
            work.append(.init { try synchronise(replica, syncer, folder, book) })
        }
        work.append(
            .init {
                while book.isGoingOn, !recorder.hasFailed {
                    if let holder = SyncLease.holder(of: replica) { book.saw(holder: holder) }
                    usleep(2000)
                }
            })
        try Threads.run(work)
        recorder.fault("kill -9", count: book.kills)
        recorder.figure("times a second syncer was told to stay away", "\(book.refusals)")
        recorder.floor("kills", reached: book.kills, least: book.killsLeast)
        recorder.floor("syncs that ended well", reached: book.syncs, least: book.syncsLeast)
        recorder.floor("times another process got the lease", reached: book.handOvers, least: book.handOversLeast)
        try secondSyncer(replica, folder)
        try finish(torture, replica, identity)
    }

    /// Writes until all pairs of the author exist. A killed program is continued where it stopped.
    private func write(
        _ author: Author, _ replica: String, _ folder: URL, _ random: SplitMix64, _ book: WritersBook
    ) throws {
        var random = random
        var next = 1
        var isFirst = true
        while next <= pairsEach {
            let log = folder.appending(path: "\(author.name).log")
            // The first program is always killed, the others at random.
            let isKilled = isFirst || Int.random(in: 0..<3, using: &random) > 0
            let milliseconds = isKilled ? Int.random(in: 10...(size == .full ? 600 : 80), using: &random) : nil
            isFirst = false
            let ended = try start(author, replica, next...pairsEach, log, killAfter: milliseconds)
            if ended.wasKilled { book.killed() }
            check(ended, author.name)
            if recorder.hasFailed { return }
            let said = ended.log.split(separator: "\n").compactMap { Int($0) }.max() ?? next - 1
            let there = try Self.last(author.name, replica)
            recorder.expect(
                there == said || (ended.wasKilled && there == said + 1),
                "\(author.name): I4: said \(said) were committed, \(there) are there")
            next = there + 1
        }
    }

    /// Synchronises the replica by one program after another, until the writers are done and enough has happened.
    private func synchronise(_ replica: String, _ syncer: Int, _ folder: URL, _ book: WritersBook) throws {
        var random = SplitMix64(state: seed &+ 100 &+ UInt64(syncer))
        while book.isGoingOn, !recorder.hasFailed {
            let isDaemon = Bool.random(using: &random)
            // A daemon ends in no other way; one sync in three is left to its end.
            let isKilled = isDaemon || Int.random(in: 0..<3, using: &random) > 0
            let milliseconds = Int.random(in: 5...250, using: &random)
            let ended = try KillableProgram.run(
                isDaemon ? "roostd" : "roost", isDaemon ? [replica] : ["sync", replica],
                log: folder.appending(path: "s\(syncer).log"), killAfter: isKilled ? milliseconds : nil)
            if ended.wasKilled {
                book.killed()
            } else if ended.status == 0 {
                book.synchronised()
            }
            if ended.log.contains("does already") || ended.log.contains("keeps \"") { book.stayedAway() }
            check(ended, "syncer \(syncer)")
        }
    }

    private func start(
        _ author: Author, _ replica: String, _ numbers: ClosedRange<Int>, _ log: URL, killAfter milliseconds: Int?
    ) throws -> KillableProgram {
        if author.isPlain {
            let script = numbers.map { TortureScope.pair(author.name, $0) + "\nSELECT \($0);\n" }.joined()
            return try KillableProgram.run(
                "sqlite3", ["-bail", "-cmd", ".timeout 30000", replica], input: script, log: log,
                killAfter: milliseconds)
        }
        let arguments = ["write", replica, author.name, "\(numbers.lowerBound)", "\(numbers.upperBound)"]
        return try KillableProgram.run("roost-torture", arguments, log: log, killAfter: milliseconds)
    }

    /// Checks that only a kill ends a writer early, and no program reports the file as busy or corrupt.
    private func check(_ ended: KillableProgram, _ who: String) {
        // A sync may report a partly written transaction of a killed program in the WAL, whose commit was never confirmed.
        let text = ended.log.split(separator: "\n").filter { !$0.contains("a program was ended while it saved") }
            .joined(separator: "\n").lowercased()
        for word in ["locked", "busy", "malformed", "corrupt", "disk i/o", "damaged", "fatal", "replica_forked"]
        where text.contains(word) {
            recorder.fail("\(who): I21: \"\(word)\" reached the application: \(ended.log.suffix(300))")
        }
        if !ended.wasKilled, ![0, 75].contains(ended.status) {
            recorder.fail("\(who): ended with \(ended.status): \(ended.log.suffix(300))")
        }
    }

    /// Tests that a second program refuses to synchronise while a daemon holds the lease.
    private func secondSyncer(_ replica: String, _ folder: URL) throws {
        let daemon = try RunningProgram("roostd", [replica], log: folder.appending(path: "holder.log"))
        let holds = try eventually(within: 60) {
            try Programs.check("roost", "status", "--json", replica).standard.contains(
                "\"syncProcess\":\(daemon.identifier)")
        }
        recorder.expect(holds, "I21: a daemon does not get the replica: \(daemon.log)")
        let output = try Programs.run("roost", ["sync", replica])
        recorder.expect(output.status == 75, "I21: a second program synchronises: \(output)")
        recorder.expect(daemon.terminate() == 0, "the daemon ends with an error: \(daemon.log)")
    }

    private static func last(_ author: String, _ replica: String) throws -> Int {
        let output = try Programs.run(
            "sqlite3",
            [
                "-cmd", ".timeout 30000", replica,
                "SELECT coalesce(max(number), 0) FROM debit WHERE author = '\(author)'",
            ])
        guard let number = output.lines.first.flatMap({ Int($0) }) else {
            throw UnexpectedEnd(program: "sqlite3", output: output)
        }
        return number
    }

    private func replicaID(_ replica: String) throws -> String {
        try Programs.check("sqlite3", replica, "SELECT replica FROM roost_control").standard
    }

    private func finish(_ torture: TortureStage, _ replica: String, _ identity: String) throws {
        let expected = Set(
            Self.authors.flatMap { author in (1...pairsEach).map { PairName(author: author.name, number: $0) } })
        recorder.count { $0.written = expected.count * 2 }
        let audit = try torture.audit(replica, at: "after the last writer")
        recorder.expect(audit.pairs == expected, "I21: \(audit.pairs.count) pairs of \(expected.count) are there")
        try torture.converge(at: "at the end")
        let server = torture.auditServer(at: "at the end")
        recorder.expect(
            server.pairs == expected, "I21: the server has \(server.pairs.count) pairs of \(expected.count)")
        recorder.expect(
            server.emptySequences == 0,
            "I6: \(server.emptySequences) sequences hold nothing: a push was stored twice")
        try torture.countOutcomes()
        recorder.count { $0.acknowledged = server.pairs.count * 2 }
        recorder.expect(
            try replicaID(replica) == identity, "I21: two programs synchronised at once: the replica was renewed")
        recorder.floor("writes", reached: server.pairs.count, least: pairsEach * Self.authors.count)
    }
}
