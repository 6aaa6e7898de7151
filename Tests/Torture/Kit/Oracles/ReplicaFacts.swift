internal import Foundation
internal import GRDB
internal import RoostMerge
internal import RoostModel

/// The facts of a replica file as stored in its tables: confirmed slots, pending changes, and the content of every row.
struct ReplicaFacts {
    private(set) var failures: [String] = []
    let rules: ReferenceRules
    private(set) var confirmed: [RecordKey: SlotStamps] = [:]
    /// The stamps of pending puts and deletes.
    private(set) var pending: [RecordKey: (put: HybridTimestamp?, delete: HybridTimestamp?)] = [:]
    private(set) var visible: Set<RecordKey> = []
    /// Records with a row in the visible and in the hidden table.
    private(set) var twice: Set<RecordKey> = []
    /// The join of confirmed and pending slots, with the references of the stored content.
    private(set) var effective: [RecordKey: RecordFacts] = [:]
    /// The references that the columns of visible rows show.
    private(set) var shownReferences: [RecordKey: [PropertyID: RecordID]] = [:]
    private(set) var digest = ScopeDigest()
    private(set) var storedDigest = ScopeDigest()

    private let database: Database
    private let schema: Schema
    private var masked: [RecordKey: [PropertyID: RecordID]] = [:]
    /// The content of each record's row, visible or hidden.
    private(set) var puts: [RecordKey: Put] = [:]

    init(_ database: Database) throws {
        self.database = database
        let text: String? = try String.fetchOne(database, sql: "SELECT value FROM roost_state WHERE name = 'schema'")
        schema = try Schema(json: text ?? "")
        rules = ReferenceRules(schema)
        try readSlots()
        try readRows()
        compare()
    }

    private mutating func readSlots() throws {
        // A file of an earlier format is read as it was left.
        let isOneRow = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0 >= 5
        func state(_ name: String) -> String {
            isOneRow ? "SELECT \(name) FROM roost_control" : "SELECT value FROM roost_state WHERE name = '\(name)'"
        }
        let digest = try Data.fetchOne(database, sql: state("digest"))
        storedDigest = digest.flatMap { ScopeDigest(bytes: $0) } ?? ScopeDigest()
        let id = try String.fetchOne(database, sql: state("replica"))
        let replica = id.flatMap { ReplicaID($0) } ?? .unregistered
        for row in try Row.fetchAll(database, sql: "SELECT entity, id, put_stamp, hash, del_stamp FROM roost_fact") {
            guard let key = key(row) else { continue }
            var slots = SlotStamps()
            if let stamp = stamp(row, "put_stamp"),
                let hash = (row["hash"] as Data?).flatMap({ ContentHash(bytes: $0) })
            {
                slots.put = .init(stamp: stamp, hash: hash)
            }
            slots.delete = stamp(row, "del_stamp")
            confirmed[key] = slots
            self.digest.replace(SlotStamps(), with: slots, of: key)
        }
        for row in try Row.fetchAll(database, sql: "SELECT entity, id, put_stamp, del_stamp FROM roost_outbox") {
            guard let key = key(row) else { continue }
            func local(_ column: String) -> HybridTimestamp? {
                (row[column] as Int64?).map { HybridTimestamp(time: UInt64(clamping: $0), replica: replica) }
            }
            pending[key] = (local("put_stamp"), local("del_stamp"))
        }
        try readMarks(replica)
        for row in try Row.fetchAll(database, sql: "SELECT entity, id, relationship, target FROM roost_raw") {
            guard let key = key(row), let target = RecordID(bytes: row["target"] as Data) else { continue }
            masked[key, default: [:]][PropertyID(UInt32(row["relationship"] as Int))] = target
        }
    }

    /// Returns whether the file has marks. Files of earlier formats have none.
    static func hasMarks(_ database: Database) throws -> Bool {
        try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0 >= 4
    }

    /// Reads the marks that triggers have appended and no program of Roost has folded into the outbox yet.
    private mutating func readMarks(_ replica: ReplicaID) throws {
        guard try Self.hasMarks(database) else { return }
        let marks = try Row.fetchAll(
            database,
            sql: """
                SELECT m.entity, m.id, m.deletes,
                  max((CAST(round((m.at - 2440587.5) * 86400000.0) AS INTEGER) + c.clock_offset) << 16, c.reading + 1) AS time
                FROM roost_mark m, roost_control c ORDER BY m.n
                """)
        for mark in marks {
            guard let key = key(mark) else { continue }
            var (put, delete) = pending[key] ?? (nil, nil)
            let time = max(UInt64(clamping: mark["time"] as Int64), (put?.time ?? 0) + 1, (delete?.time ?? 0) + 1)
            let stamp = HybridTimestamp(time: time, replica: replica)
            if (mark["deletes"] as Int) != 0 { delete = stamp } else { put = stamp }
            pending[key] = (put, delete)
        }
    }

    private mutating func readRows() throws {
        for entity in schema.recordEntities {
            let table = entity.name.lowercased()
            // Selects by name: a corrupt column name then is an error of SQLite's, and not a trap while reading the row.
            let names = ["id"] + entity.attributes.map(\.name) + entity.references.map(\.name)
            let columns = names.map { "t.\"\($0)\"" }.joined(separator: ", ")
            for (name, isVisible) in [(table, true), ("roost_hidden_\(table)", false)] {
                for row in try Row.fetchAll(database, sql: "SELECT \(columns) FROM \"\(name)\" t") {
                    guard let id = RecordID(bytes: row["id"] as Data) else { continue }
                    take(row, RecordKey(entity: entity.id, id: id), entity, isVisible: isVisible)
                }
            }
        }
    }

    private mutating func take(_ row: Row, _ key: RecordKey, _ entity: Entity, isVisible: Bool) {
        // Visible rows are read first. If a plain program inserts a deleted identifier again, both rows exist until Roost
        // opens the file.
        if puts[key] != nil { twice.insert(key); return }
        if isVisible { visible.insert(key) }
        var fields: [ContentCoding.Field] = []
        for attribute in entity.attributes {
            let value: Value
            switch (row[attribute.name] as DatabaseValue).storage {
            case .null: value = .null
            case .int64(let number): value = attribute.kind == .boolean ? .boolean(number != 0) : .integer(number)
            case .double(let number): value = .double(number)
            case .string(let text): value = .string(text)
            case .blob(let data): value = .data(Array(data))
            }
            if value != .null || attribute.defaultValue != nil {
                fields.append(.init(property: attribute.id, value: value))
            }
        }
        var references: [Put.Reference] = []
        for reference in entity.references {
            let shown = (row[reference.name] as Data?).flatMap { RecordID(bytes: $0) }
            if isVisible, let shown { shownReferences[key, default: [:]][reference.id] = shown }
            if let target = shown ?? masked[key]?[reference.id] {
                references.append(.init(relationship: reference.id, target: target))
            }
        }
        fields.sort { $0.property < $1.property }
        references.sort { $0.relationship < $1.relationship }
        puts[key] = Put(references: references, content: ContentCoding.encode(fields))
    }

    /// I5: every row without a pending put has the confirmed content, and every confirmed put has its row.
    private mutating func compare() {
        for (key, slots) in confirmed {
            guard let put = slots.put, pending[key]?.put == nil else { continue }
            guard let row = puts[key] else {
                failures.append("I5: \(key) is confirmed and has no row")
                continue
            }
            if ContentHash(of: row.encoded()) != put.hash {
                failures.append("I5: \(key) differs from what is confirmed and is not in the outbox")
            }
        }
        for (key, put) in puts {
            let slots = confirmed[key]
            let local = pending[key]
            if slots?.put == nil, local?.put == nil {
                failures.append("I5: \(key) has a row and is in no table of changes")
            }
            effective[key] = RecordFacts(
                put: [slots?.put?.stamp, local?.put].compactMap { $0 }.max(), references: put.references,
                delete: [slots?.delete, local?.delete].compactMap { $0 }.max())
        }
        for (key, local) in pending where local.put != nil && puts[key] == nil {
            failures.append("I5: \(key) waits with a put and has no row")
        }
    }

    private func key(_ row: Row) -> RecordKey? {
        RecordID(bytes: row["id"] as Data).map { RecordKey(entity: EntityID(UInt32(row["entity"] as Int)), id: $0) }
    }

    private func stamp(_ row: Row, _ column: String) -> HybridTimestamp? {
        (row[column] as Data?).flatMap { HybridTimestamp(bytes: $0) }
    }
}
