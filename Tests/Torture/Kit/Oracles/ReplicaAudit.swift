internal import Foundation
internal import GRDB
internal import RoostMerge
internal import RoostModel
internal import TestPlainSQL

/// Checks a replica file from outside, with independent code, for what must hold at every moment.
struct ReplicaAudit {
    /// The failures found, in words.
    private(set) var failures: [String] = []
    /// The digest computed from the confirmed slots.
    private(set) var digest = ScopeDigest()
    /// The number of pending records.
    private(set) var waiting = 0
    private(set) var pendingKeys: Set<RecordKey> = []
    /// The content hash of each record's row.
    private(set) var contents: [RecordKey: ContentHash] = [:]
    /// Pairs with both halves visible, by author and number.
    private(set) var pairs: Set<PairName> = []

    /// - Parameter isSettled: Whether Roost has opened the file since the last write. Only then is visibility fully derived.
    static func run(_ path: String, isSettled: Bool) -> ReplicaAudit {
        var audit = ReplicaAudit()
        do {
            let queue = try DatabaseQueue(path: path, configuration: .waiting)
            defer { try? queue.close() }
            try queue.read { try audit.look(at: $0, isSettled: isSettled) }
        } catch {
            audit.failures.append("the file cannot be read: \(error)")
        }
        return audit
    }

    private mutating func look(at database: Database, isSettled: Bool) throws {
        let integrity = try String.fetchAll(database, sql: "PRAGMA integrity_check")
        guard integrity == ["ok"] else {
            failures.append("integrity_check: \(integrity.prefix(3).joined(separator: "; "))")
            return
        }
        let facts = try ReplicaFacts(database)
        waiting = facts.pending.count
        pendingKeys = Set(facts.pending.keys)
        contents = facts.puts.mapValues { ContentHash(of: $0.encoded()) }
        digest = facts.digest
        failures += facts.failures
        if facts.digest != facts.storedDigest {
            failures.append("I5: the stored digest is not that of the confirmed slots")
        }
        try lookAtPairs(database)
        try lookAtParents(database)
        if isSettled { derive(facts) }
    }

    /// I7: no transaction is partly visible.
    private mutating func lookAtPairs(_ database: Database) throws {
        let broken = try Row.fetchAll(
            database,
            sql: """
                SELECT id, count(*) AS c, sum(amount) AS s FROM
                (SELECT id, amount FROM debit UNION ALL SELECT id, amount FROM credit)
                GROUP BY id HAVING count(*) <> 2 OR sum(amount) <> 0
                """)
        for row in broken.prefix(3) {
            failures.append("I7: half a transaction is visible: \(Hex.encode(row["id"] as Data)), \(row["c"] as Int)")
        }
        pairs = Set(
            try Row.fetchAll(database, sql: "SELECT author, number FROM debit").map {
                PairName(author: $0["author"], number: $0["number"])
            })
    }

    /// I11: no child is visible under an invisible parent. A plain program's last write may not be settled yet.
    private mutating func lookAtParents(_ database: Database) throws {
        let isUnmarked =
            try ReplicaFacts.hasMarks(database)
            ? "NOT EXISTS (SELECT 1 FROM roost_mark m WHERE m.entity = 4 AND m.id = c.id)" : "true"
        let orphans =
            try Int.fetchOne(
                database,
                sql: """
                    SELECT count(*) FROM child c WHERE ((parent IS NOT NULL AND parent NOT IN (SELECT id FROM parent))
                    OR (guardian IS NOT NULL AND guardian NOT IN (SELECT id FROM parent))
                    OR (friend IS NOT NULL AND friend NOT IN (SELECT id FROM parent)))
                    AND NOT EXISTS (SELECT 1 FROM roost_outbox o WHERE o.entity = 4 AND o.id = c.id AND o.unsettled > 0)
                    AND \(isUnmarked)
                    """) ?? 0
        if orphans > 0 { failures.append("I11: \(orphans) visible children refer to a parent that is not visible") }
    }

    /// I1, I5: the visible records are those that the rules derive from the confirmed slots and the outbox.
    private mutating func derive(_ facts: ReplicaFacts) {
        for key in facts.twice { failures.append("I5: \(key) is in the visible and in the hidden table") }
        let derived = VisibleState(facts.effective, rules: facts.rules)
        for key in Set(facts.effective.keys).union(facts.visible).sorted() {
            guard derived.isVisible(key) != facts.visible.contains(key) else { continue }
            failures.append(
                "I5: \(key) is \(facts.visible.contains(key) ? "" : "not ")visible, derived: \(derived.liveness[key] ?? .absent)"
            )
            if failures.count > 5 { return }
        }
        for (key, shown) in facts.shownReferences where derived.isVisible(key) {
            for reference in derived.references(of: key) where shown[reference.relationship] != reference.target {
                failures.append("I5: \(key) shows another reference \(reference.relationship) than is derived")
            }
        }
    }
}

/// A transaction of the torture, by author and number.
struct PairName: Hashable, Sendable {
    var author: String
    var number: Int
}
