internal import RoostModel

/// The contents of a replica's file that the checkers need, read in one snapshot.
package struct ReplicaView: Sendable {
    /// The clock readings of a record's pending changes.
    struct Pending: Hashable, Sendable {
        var put: UInt64?
        var delete: UInt64?
    }

    /// A row of a visible or hidden table.
    struct Row: Hashable, Sendable {
        var isVisible: Bool
        var text: String
        var number: Int64
        /// The references by property, as they read.
        var references: [PropertyID: RecordID] = [:]
        /// The values of the table's attributes of later schema versions.
        var notes: [PropertyID: String] = [:]
    }

    /// A change that the journal reports as beaten or refused.
    struct Journaled: Hashable, Sendable {
        var key: RecordKey
        var outcome: String
        var stamp: HybridTimestamp
        var put: [UInt8]?
        var by: HybridTimestamp?
        var reason: String
    }

    var replica = ReplicaID.unregistered
    var checkpoint: [UInt8] = []
    var digest: [UInt8] = []
    var facts: [RecordKey: SlotStamps] = [:]
    var outbox: [RecordKey: Pending] = [:]
    var rows: [RecordKey: Row] = [:]
    /// The journal entries since the last view.
    var journal: [Journaled] = []
    /// The events since the last view: (kind, text).
    var events: [(kind: String, text: String)] = []
    var sealedPushes = 0
    var isPullingAnew = false
    /// Whether a program without Roost's code has written and its changes are not settled yet.
    var isUnsettled = false

    /// The greatest reading of any confirmed stamp. Stamps in the outbox are the replica's own, and may be replaced.
    var newest: UInt64 {
        facts.values.reduce(0) { max($0, $1.put?.stamp.time ?? 0, $1.delete?.time ?? 0) }
    }
}

extension ReplicaView {
    /// Returns a summary of the view, for a trace.
    func summary(_ device: Int) -> String {
        let keys = Set(facts.keys).union(outbox.keys).union(rows.keys).sorted().filter { $0.entity.rawValue < 5 }
        let lines = keys.map { key in
            let row = rows[key].map { "\($0.isVisible ? "shows" : "hides") \($0.text)" } ?? "no row"
            let pending = outbox[key].map { pending in
                " waits \(pending.put.map { "put \(String($0, radix: 16))" } ?? "") "
                    + "\(pending.delete.map { "delete \(String($0, radix: 16))" } ?? "")"
            }
            return "    \(key.short): \(row), \(ServerChecker.describe(facts[key] ?? SlotStamps()))\(pending ?? "")"
        }
        let place = checkpoint.isEmpty ? "nothing" : Hex.encode(checkpoint.prefix(16).suffix(4))
        let state = "has \(place)\(isPullingAnew ? ", pulls anew" : "")\(isUnsettled ? ", unsettled" : "")"
        return (["  replica \(device) is \(replica), \(state)"] + lines).joined(separator: "\n")
    }
}

/// Reads views of one replica file, and continues in its journal and events after the previous view.
struct ViewReader {
    private var journalOrdinal: Int64 = 0
    private var eventOrdinal: Int64 = 0

    /// The visible and hidden rows of all entities in one statement, by version of the schema; NULL for columns that an
    /// entity does not have.
    private static let rowsSQL: [String] = (1...SampleSchema.versions).map { version in
        let columns = SampleSchema.references.map(\.column)
        let notes = SampleSchema.notes(version: version).map(\.name)
        return SampleSchema.tables(version: version).flatMap { entity, name in
            let own =
                SampleSchema.references.filter { $0.entity == entity }.map(\.column)
                + (entity == SampleSchema.item ? notes : [])
            let list = (columns + notes).map { own.contains($0) ? $0 : "NULL" }.joined(separator: ", ")
            return [(name.lowercased(), 1), ("roost_hidden_\(name.lowercased())", 0)].map { table, isVisible in
                "SELECT \(entity), id, \(isVisible), text, number, \(list) FROM \(table)"
            }
        }.joined(separator: " UNION ALL ")
    }

    /// The marks that triggers have appended and no program of Roost has folded into the outbox yet.
    private static let marksSQL = """
        SELECT m.entity, m.id,
          max((CAST(round((m.at - 2440587.5) * 86400000.0) AS INTEGER) + c.clock_offset) << 16, c.reading + 1), m.deletes
        FROM roost_mark m, roost_control c ORDER BY m.n
        """

    private static let referenceOrder = SampleSchema.references.map(\.property)

    /// Reads the journal again from the start: entries were lost with the last commits, and new ones take their numbers.
    mutating func rereadJournal() { journalOrdinal = 0 }

    /// - Parameters:
    ///   - version: The version of the file's schema.
    ///   - isUnsettled: Whether Roost is known to have to settle the rows first.
    mutating func read(
        _ replica: PlainConnection, version: Int, isUnsettled: Bool = false
    ) throws -> ReplicaView {
        var view = ReplicaView()
        view.isUnsettled = isUnsettled
        try readState(replica, &view)
        for row in try replica.select("SELECT entity, id, put_stamp, hash, del_stamp FROM roost_fact") {
            guard let key = Self.key(row[0], row[1]) else { continue }
            var slots = SlotStamps(delete: Self.stamp(row[4]))
            if let stamp = Self.stamp(row[2]), case .data(let bytes) = row[3], let hash = ContentHash(bytes: bytes) {
                slots.put = .init(stamp: stamp, hash: hash)
            }
            view.facts[key] = slots
        }
        for row in try replica.select("SELECT entity, id, put_stamp, del_stamp, unsettled FROM roost_outbox") {
            guard let key = Self.key(row[0], row[1]) else { continue }
            view.outbox[key] = .init(put: Self.time(row[2]), delete: Self.time(row[3]))
            if row[4] != .integer(0) { view.isUnsettled = true }
        }
        for row in try replica.select(Self.marksSQL) {
            guard let key = Self.key(row[0], row[1]), let stamp = Self.time(row[2]) else { continue }
            var entry = view.outbox[key] ?? .init()
            let time = max(stamp, (entry.put ?? 0) + 1, (entry.delete ?? 0) + 1)
            if row[3] == .integer(0) { entry.put = time } else { entry.delete = time }
            view.outbox[key] = entry
            view.isUnsettled = true
        }
        let notes = SampleSchema.notes(version: version).map(\.property)
        for row in try replica.select(Self.rowsSQL[version - 1]) {
            guard let key = Self.key(row[0], row[1]), case .integer(let visible) = row[2] else { continue }
            var read = ReplicaView.Row(isVisible: visible == 1, text: "", number: 0)
            if case .string(let text) = row[3] { read.text = text }
            if case .integer(let number) = row[4] { read.number = number }
            for (place, property) in Self.referenceOrder.enumerated() {
                if let target = Self.identifier(row[5 + place]) { read.references[property] = target }
            }
            for (place, note) in notes.enumerated() {
                if case .string(let text) = row[5 + Self.referenceOrder.count + place] { read.notes[note] = text }
            }
            if view.isUnsettled, view.rows[key]?.isVisible == true { continue }
            // A record must not be in both tables.
            if view.rows.updateValue(read, forKey: key) != nil, !view.isUnsettled {
                throw Violation(.derivation, "record \(key) stands in the visible and in the hidden table")
            }
        }
        try readJournal(replica, &view)
        return view
    }

    private func readState(_ replica: PlainConnection, _ view: inout ReplicaView) throws {
        let sql = """
            SELECT replica, checkpoint, digest, pulling_anew, (SELECT count(*) FROM roost_push) FROM roost_control
            """
        for row in try replica.select(sql) {
            if case .string(let text) = row[0] { view.replica = ReplicaID(text) ?? .unregistered }
            if case .data(let bytes) = row[1] { view.checkpoint = bytes }
            if case .data(let bytes) = row[2] { view.digest = bytes }
            if case .string = row[3] { view.isPullingAnew = true }
            if case .integer(let number) = row[4] { view.sealedPushes = Int(number) }
        }
    }

    /// Reads the new entries, also those that `roost journal` leaves out because their content stands (decision 237): an entry
    /// says what became of its change either way.
    private mutating func readJournal(_ replica: PlainConnection, _ view: inout ReplicaView) throws {
        let entries = try replica.select(
            """
            SELECT ordinal, entity, id, outcome, stamp, put, by_stamp, reason FROM roost_journal WHERE ordinal > ?
            ORDER BY ordinal
            """, journalOrdinal)
        for row in entries {
            guard case .integer(let ordinal) = row[0] else { continue }
            journalOrdinal = ordinal
            // An entry of a user trigger's write while Roost wrote is no change, and accounts for none.
            guard let key = Self.key(row[1], row[2]), case .string(let outcome) = row[3], outcome != "reverted",
                let stamp = Self.stamp(row[4])
            else { continue }
            var entry = ReplicaView.Journaled(
                key: key, outcome: outcome, stamp: stamp, put: nil, by: Self.stamp(row[6]), reason: "")
            if case .data(let bytes) = row[5] { entry.put = bytes }
            if case .string(let reason) = row[7] { entry.reason = reason }
            view.journal.append(entry)
        }
        let events = try replica.select(
            "SELECT ordinal, kind, text FROM roost_event WHERE ordinal > ? ORDER BY ordinal", eventOrdinal)
        for row in events {
            guard case .integer(let ordinal) = row[0], case .string(let kind) = row[1], case .string(let text) = row[2]
            else { continue }
            eventOrdinal = ordinal
            view.events.append((kind, text))
        }
    }

    private static func key(_ entity: Value, _ id: Value) -> RecordKey? {
        guard case .integer(let number) = entity, let id = identifier(id) else { return nil }
        return RecordKey(entity: EntityID(UInt32(number)), id: id)
    }

    /// Reads an identifier in either form of a file.
    private static func identifier(_ value: Value) -> RecordID? {
        switch value {
        case .data(let bytes): RecordID(bytes: bytes)
        case .string(let digits): Hex.decode(digits.utf8).flatMap { RecordID(bytes: $0) }
        default: nil
        }
    }

    private static func stamp(_ value: Value) -> HybridTimestamp? {
        if case .data(let bytes) = value { HybridTimestamp(bytes: bytes) } else { nil }
    }

    private static func time(_ value: Value) -> UInt64? {
        if case .integer(let number) = value { UInt64(clamping: number) } else { nil }
    }
}
