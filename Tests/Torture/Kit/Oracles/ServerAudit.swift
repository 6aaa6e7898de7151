internal import Foundation
internal import GRDB
internal import RoostModel
internal import RoostProtocol
internal import TestPlainSQL

/// Checks a server's file from outside: the slots of one scope, its digest, and that no transaction is partly stored.
struct ServerAudit {
    private(set) var failures: [String] = []
    private(set) var digest = ScopeDigest()
    private(set) var records: [RecordKey: RecordState] = [:]
    /// Pairs with both halves stored.
    private(set) var pairs: Set<PairName> = []
    /// The number of sequences without a record or an identifier of a purged one. A transaction takes a sequence each time
    /// that it is stored. If each transaction writes a record that no other one writes, an empty sequence shows a push that
    /// was stored twice.
    private(set) var emptySequences = 0
    /// The scope's last sequence.
    private(set) var sequence: Int64 = 0

    /// - Parameter path: The path of `roost.sqlite`, which a server may have open.
    static func run(_ path: String) -> ServerAudit {
        var audit = ServerAudit()
        do {
            let queue = try DatabaseQueue(path: path, configuration: .waiting)
            defer { try? queue.close() }
            try queue.read { try audit.look(at: $0) }
        } catch {
            audit.failures.append("the server's file cannot be read: \(error)")
        }
        return audit
    }

    private mutating func look(at database: Database) throws {
        let integrity = try String.fetchAll(database, sql: "PRAGMA integrity_check")
        guard integrity == ["ok"] else {
            failures.append("server integrity_check: \(integrity.prefix(3).joined(separator: "; "))")
            return
        }
        guard let scope = try Row.fetchOne(database, sql: "SELECT key, sequence, digest, records FROM scope") else {
            return
        }
        sequence = scope["sequence"]
        for row in try Row.fetchAll(database, sql: "SELECT message, sequence FROM record") {
            let state = try RecordState(protobuf: Array(row["message"] as Data))
            records[state.key] = state
            digest.replace(SlotStamps(), with: state.stamps, of: state.key)
            if row["sequence"] as Int64 > sequence { failures.append("I8: \(state.key) is after the last sequence") }
        }
        if ScopeDigest(bytes: scope["digest"] as Data) != digest {
            failures.append("the server's digest is not that of its records")
        }
        if scope["records"] as Int != records.count { failures.append("the server's count of records is wrong") }
        let chain = try Int64.fetchOne(database, sql: "SELECT count(*) FROM chain") ?? 0
        // The first format of the file has no identifiers of purged records.
        let names = try database.tableExists("purged") ? "UNION SELECT sequence FROM purged" : ""
        let carried = try Int64.fetchOne(database, sql: "SELECT count(*) FROM (SELECT sequence FROM record \(names))")
        emptySequences = Int(sequence - (carried ?? 0))
        if chain != sequence { failures.append("I8: \(chain) links in the chain for \(sequence) sequences") }
        try lookAtLog(database)
        try lookAtPairs()
    }

    /// Checks the log: a record without an entry is never sent in a page. The first formats of the file have no log.
    private mutating func lookAtLog(_ database: Database) throws {
        guard try database.tableExists("log") else { return }
        let entry =
            "FROM log WHERE log.scope = record.scope AND log.sequence = record.sequence AND log.row = record.row"
        let missing = try Int.fetchOne(
            database, sql: "SELECT count(*) FROM record WHERE NOT EXISTS (SELECT 1 \(entry))")
        if missing != 0 { failures.append("I8: \(missing ?? 0) records have no entry in the log") }
        let surplus = try Int.fetchOne(
            database,
            sql: """
                SELECT (SELECT count(*) FROM log) - (SELECT count(*) FROM record) - (SELECT count(*) FROM outdated)
                """)
        if surplus != 0 { failures.append("\(surplus ?? 0) entries of the log are of no record and not outdated") }
    }

    /// The start of the message for an incomplete pair.
    static let halfPair = "I7: the server has half a transaction"

    private mutating func lookAtPairs() throws {
        var amounts: [RecordID: (count: Int, sum: Int64, name: PairName)] = [:]
        for (key, state) in records where key.entity.rawValue <= 2 {
            guard let encoded = state.put?.encoded, state.delete == nil else { continue }
            let fields = try ContentCoding.decode(Put(encoded: encoded).content)
            var values: [UInt32: Value] = [:]
            for field in fields { values[field.property.rawValue] = field.value }
            guard case .integer(let amount)? = values[1], case .string(let author)? = values[2],
                case .integer(let number)? = values[3]
            else { continue }
            let before = amounts[key.id]
            amounts[key.id] = (
                (before?.count ?? 0) + 1, (before?.sum ?? 0) + amount, PairName(author: author, number: Int(number))
            )
        }
        for (id, pair) in amounts {
            if pair.count == 2, pair.sum == 0 {
                pairs.insert(pair.name)
            } else {
                failures.append("\(Self.halfPair): \(id), \(pair.name)")
            }
        }
    }
}
