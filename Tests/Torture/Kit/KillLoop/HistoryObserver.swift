internal import Foundation
internal import GRDB
internal import RoostModel
internal import TestPlainSQL

/// Observes replicas in turn while they are written and synchronised: each observation is one snapshot.
struct HistoryObserver {
    private let replicas: [String]
    private let book: KillBook
    private let recorder: Recorder

    init(_ replicas: [String], _ book: KillBook, _ recorder: Recorder) {
        self.replicas = replicas
        self.book = book
        self.recorder = recorder
    }

    /// Runs until the devices stop writing and there were `least` observations.
    func run(_ random: SplitMix64, least: Int) throws {
        var random = random
        while book.isWriting || book.snapshots < least, !recorder.hasFailed {
            let device = Int.random(in: replicas.indices, using: &random)
            // Read before the snapshot, which must have everything committed by then.
            let committed = book.committed(device)
            try look(replicas[device], device, committed)
            book.looked()
            usleep(20_000)
        }
    }

    private func look(_ replica: String, _ device: Int, _ committed: Int) throws {
        let queue = try DatabaseQueue(path: replica, configuration: .waiting)
        defer { try? queue.close() }
        try queue.read { database in
            let counts = try Row.fetchAll(
                database, sql: "SELECT author, count(*) AS c, max(number) AS m FROM debit GROUP BY author")
            var known: [String: Int] = [:]
            for row in counts {
                let author: String = row["author"]
                known[author] = row["m"]
                // I8: all pairs of an author from the first to the last present one exist.
                recorder.expect(
                    row["c"] as Int == row["m"] as Int,
                    "I8: device \(device) has \(row["c"] as Int) of \(row["m"] as Int) pairs of \(author)")
            }
            recorder.expect(
                known[KillBook.author(device)] ?? 0 >= committed,
                "I10: device \(device) shows its own writes up to \(known[KillBook.author(device)] ?? 0) of \(committed)"
            )
            try causes(database, device, known)
            try parts(database, device)
            if let row = try Row.fetchOne(
                database,
                sql: """
                    SELECT (SELECT count(*) FROM roost_journal WHERE outcome = 'beaten') AS beaten,
                    (SELECT count(*) FROM roost_hidden_child WHERE roost_deleted = 0) AS hidden
                    """)
            {
                book.saw(device, beaten: row["beaten"], hidden: row["hidden"])
            }
        }
    }

    /// I9: the writes that an author had seen are present wherever its own write is.
    private func causes(_ database: Database, _ device: Int, _ known: [String: Int]) throws {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT d.author AS author, s.key AS other, s.value AS number FROM
                (SELECT author, max(number) AS m FROM debit GROUP BY author) l
                JOIN debit d ON d.author = l.author AND d.number = l.m, json_each(d.seen) s
                """)
        for row in rows {
            let other: String = row["other"]
            recorder.expect(
                known[other] ?? 0 >= row["number"] as Int,
                "I9: device \(device) shows a write of \(row["author"] as String) without what its author had seen")
        }
    }

    /// Checks I7 and I11 within the snapshot.
    private func parts(_ database: Database, _ device: Int) throws {
        let halves = try Int.fetchOne(
            database,
            sql: """
                SELECT count(*) FROM (SELECT 1 FROM (SELECT id, amount FROM debit UNION ALL SELECT id, amount FROM credit)
                GROUP BY id HAVING count(*) <> 2 OR sum(amount) <> 0)
                """)
        recorder.expect(halves == 0, "I7: device \(device) shows \(halves ?? 0) transactions in part")
        // A plain program may refer to an invisible parent. The rule applies after Roost has settled the write.
        let orphans = try Int.fetchOne(
            database,
            sql: """
                SELECT count(*) FROM child c WHERE parent IS NOT NULL AND parent NOT IN (SELECT id FROM parent)
                AND NOT EXISTS (SELECT 1 FROM roost_outbox o WHERE o.entity = 4 AND o.id = c.id AND o.unsettled > 0)
                AND NOT EXISTS (SELECT 1 FROM roost_mark m WHERE m.entity = 4 AND m.id = c.id)
                """)
        recorder.expect(orphans == 0, "I11: device \(device) shows \(orphans ?? 0) children without their parent")
    }
}
