internal import Foundation
internal import GRDB
internal import RoostModel
internal import TestPlainSQL
internal import TestProcesses

/// One device of the kill loop: a plain program that writes, and programs that synchronise.
final class KillDevice: Sendable {
    private let number: Int
    private let replica: String
    private let folder: URL
    private let amounts: KillAmounts
    private let book: KillBook
    private let recorder: Recorder

    init(
        _ number: Int, _ replica: String, _ folder: URL, _ amounts: KillAmounts, _ book: KillBook, _ recorder: Recorder
    ) {
        self.number = number
        self.replica = replica
        self.folder = folder
        self.amounts = amounts
        self.book = book
        self.recorder = recorder
    }

    private var author: String { KillBook.author(number) }

    /// Draws a pause of seconds for one program in eight.
    private func pause(after: ClosedRange<Int>, _ random: inout SplitMix64) -> KillableProgram.Pause? {
        guard Int.random(in: 0..<8, using: &random) == 0 else { return nil }
        return .init(
            after: Int.random(in: after, using: &random),
            milliseconds: Int.random(in: amounts.pauseMilliseconds, using: &random))
    }

    private func note(_ ended: KillableProgram, _ what: KillBook.Paused) {
        if ended.wasPaused {
            book.paused(what)
            recorder.fault("SIGSTOP of a \(what.rawValue)")
        }
        if ended.wasKilled {
            book.killed(isServer: false)
            recorder.fault("kill -9 of a \(what.rawValue)")
        }
    }

    /// Whether to continue: until the writers are done and there were enough kills.
    private var isGoingOn: Bool { (book.isWriting || book.kills < amounts.killsLeast) && !recorder.hasFailed }

    // MARK: Writing

    /// Writes pairs in batches, each by its own process, and edits the shared records.
    func write(_ random: SplitMix64) throws {
        defer { book.endedWriting() }
        var random = random
        var next = 1
        var edits = 0
        try writeTooLarge()
        while next <= amounts.pairsEach || book.lacks(amounts), !recorder.hasFailed {
            let last = next <= amounts.pairsEach ? min(next + 24, amounts.pairsEach) : next + 4
            let isKilled = Int.random(in: 0..<6, using: &random) == 0
            let log = folder.appending(path: "write-\(number).log")
            let ended = try KillableProgram.run(
                "sqlite3", ["-bail", "-cmd", ".timeout 30000", replica], input: script(next...last), log: log,
                pause: pause(after: 0...20, &random), killAfter: isKilled ? Int.random(in: 3...60, using: &random) : nil
            )
            note(ended, .writer)
            if !ended.wasKilled {
                recorder.expect(ended.status == 0, "\(author): a plain write fails: \(ended.log.suffix(300))")
            }
            let said = ended.log.split(separator: "\n").compactMap { Int($0) }.max() ?? next - 1
            let there = try lastOwn()
            recorder.expect(
                there == said || (ended.wasKilled && there == said + 1),
                "\(author): I4: said \(said) were committed, \(there) are there")
            book.commit(number, upTo: there)
            next = there + 1
            edits += 1
            try edit(edits, &random)
            usleep(UInt32(Int.random(in: 0...amounts.pauseMillisecondsMax, using: &random)) * 1000)
        }
    }

    /// Returns SQL that writes pairs. Each pair records the last pair of every other author that its author had seen.
    private func script(_ numbers: ClosedRange<Int>) -> String {
        let seen = """
            CREATE TEMP TABLE known AS SELECT json_group_object(author, m) AS seen
              FROM (SELECT author, max(number) AS m FROM debit GROUP BY author);

            """
        return seen
            + numbers.map {
                TortureScope.pair(author, $0, seen: "(SELECT seen FROM temp.known)") + "\nSELECT \($0);\n"
            }.joined()
    }

    private func lastOwn() throws -> Int {
        let statement = "SELECT coalesce(max(number), 0) FROM debit WHERE author = '\(author)'"
        let output = try Programs.run("sqlite3", ["-cmd", ".timeout 30000", replica, statement])
        guard let number = output.lines.first.flatMap({ Int($0) }) else {
            throw UnexpectedEnd(program: "sqlite3", output: output)
        }
        return number
    }

    /// Writes a record above every server's limit, in its own transaction. The library refuses it, and plain SQL does not.
    private func writeTooLarge() throws {
        let statement =
            "INSERT INTO parent(id, name) VALUES (\(TortureScope.pairID(author, number)), hex(zeroblob(153600)))"
        let output = try Programs.run("sqlite3", ["-bail", "-cmd", ".timeout 30000", replica, statement])
        recorder.expect(output.status == 0, "\(author): a write of a large record fails: \(output)")
    }

    /// Returns the number of the parent of the family that a device creates with an edit. The child has the next number.
    private func family(_ edit: Int) -> Int { 1_000_000 * (number + 1) + 2 * edit }

    /// Makes a few edits of shared records, in one transaction with a family that only this device creates, and deletes with
    /// its next edit or never. A delete rule may refuse an edit; the others continue.
    private func edit(_ count: Int, _ random: inout SplitMix64) throws {
        let (parent, child) = (family(count), family(count) + 1)
        var statements = [
            "BEGIN IMMEDIATE;", "INSERT INTO parent(id, name) VALUES (\(id(parent)), '\(author)');",
            "INSERT INTO child(id, label, parent) VALUES (\(id(child)), '\(author)', \(id(parent)));",
        ]
        if count > 1, Bool.random(using: &random) {
            statements.append("DELETE FROM parent WHERE id = \(id(family(count - 1)));")
        }
        for _ in 0..<3 {
            let parent = id(Int.random(in: 1...5, using: &random))
            let child = id(Int.random(in: 11...25, using: &random))
            switch Int.random(in: 0..<8, using: &random) {
            case 0: statements.append("DELETE FROM parent WHERE id = \(parent);")
            case 1, 2: statements.append("INSERT OR REPLACE INTO parent(id, name) VALUES (\(parent), '\(author)');")
            case 3: statements.append("UPDATE child SET parent = \(parent) WHERE id = \(child);")
            case 4: statements.append("UPDATE child SET guardian = \(parent) WHERE id = \(child);")
            case 5: statements.append("UPDATE child SET friend = \(parent) WHERE id = \(child);")
            case 6: statements.append("DELETE FROM child WHERE id = \(child);")
            default: statements.append("INSERT OR REPLACE INTO child(id, label) VALUES (\(child), '\(author)');")
            }
        }
        statements.append("COMMIT;")
        try Programs.run(
            "sqlite3", ["-cmd", ".timeout 30000", replica], input: statements.joined(separator: "\n") + "\n")
        book.edited(statements.count - 2)
    }

    // MARK: Synchronising

    /// Synchronises the device: half of the devices by a daemon, half by repeated syncs.
    func synchronise(_ random: SplitMix64) throws {
        var random = random
        let isDaemon = number.isMultiple(of: 2)
        while isGoingOn {
            let isKilled = isDaemon || Int.random(in: 0..<3, using: &random) == 0
            let milliseconds =
                isDaemon ? Int.random(in: 50...4000, using: &random) : Int.random(in: 5...120, using: &random)
            let committed = book.committed(number)
            let ended = try KillableProgram.run(
                isDaemon ? "roostd" : "roost", isDaemon ? [replica] : ["sync", replica],
                log: folder.appending(path: "sync-\(number).log"),
                pause: pause(after: isDaemon ? 0...2000 : 0...60, &random), killAfter: isKilled ? milliseconds : nil)
            note(ended, isDaemon ? .daemon : .sync)
            if ended.wasKilled {
                if try hasPushUnderWay() { book.leftPush() }
            } else {
                recorder.expect(
                    [0, 75].contains(ended.status),
                    "\(author): a sync ends with \(ended.status): \(ended.log.suffix(300))")
                if ended.status == 0, !isDaemon {
                    book.synchronised(number, upTo: committed)
                    try recordAcknowledged()
                }
            }
            if !isDaemon { usleep(UInt32(Int.random(in: 0...400, using: &random)) * 1000) }
        }
    }

    private func hasPushUnderWay() throws -> Bool {
        let queue = try DatabaseQueue(path: replica, configuration: .waiting)
        defer { try? queue.close() }
        return try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM roost_push") ?? 0 } > 0
    }

    /// Records the confirmed slots of the shared records, after a successful sync.
    private func recordAcknowledged() throws {
        let queue = try DatabaseQueue(path: replica, configuration: .waiting)
        defer { try? queue.close() }
        let slots = try queue.read { database in
            try Row.fetchAll(database, sql: "SELECT entity, id, put_stamp, del_stamp FROM roost_fact WHERE entity > 2")
                .compactMap { row -> (RecordKey, SlotStamps)? in
                    guard let id = RecordID(bytes: row["id"] as Data) else { return nil }
                    var slots = SlotStamps()
                    func stamp(_ column: String) -> HybridTimestamp? {
                        (row[column] as Data?).flatMap { HybridTimestamp(bytes: $0) }
                    }
                    slots.put = stamp("put_stamp").map { .init(stamp: $0, hash: ContentHash(of: [])) }
                    slots.delete = stamp("del_stamp")
                    return (RecordKey(entity: EntityID(UInt32(row["entity"] as Int)), id: id), slots)
                }
        }
        book.acknowledged(Dictionary(slots) { first, _ in first })
    }
}
