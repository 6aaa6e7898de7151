internal import RoostModel

/// What the foreign programs have committed, read back by their own connection: the oracle needs no SQL semantics of its own.
struct ForeignOracle: Sendable {
    /// What one committed transaction left of one record.
    struct Expectation: Hashable, Sendable {
        var device: Int
        var key: RecordKey
        /// What the row held; `nil` for a row that is gone.
        var row: [String: ForeignValue]?
        /// The put that the device had confirmed when the row was deleted.
        var deleted: HybridTimestamp?
        /// The statements, for a report.
        var by: String
        /// Whether a value of the row may be refused: it is journaled then, in whatever form it has.
        var mayBeRefused = false
    }

    /// A local transaction, as the foreign connection saw it.
    struct Transaction {
        var device: Int
        var before: FileImage
        var after: FileImage
        var tables: [ForeignTable]
        /// Tables that its own statements may have deleted from.
        var deletesFrom: Set<EntityID>
        /// Records that the user deleted by name.
        var deleted: Set<RecordKey> = []
        /// What the replica has confirmed.
        var facts: [RecordKey: SlotStamps]
        var by: String
        var mayBeRefused = false
        /// Whether a row may have gone because another one took its rowid: no trigger runs for it, and a comparison decides.
        var mayEvictByRowid = false
    }

    /// What a device's journal says.
    struct Journal: Sendable {
        var puts: [RecordKey: [[UInt8]]] = [:]
        var deletes: Set<RecordKey> = []
        var refused: Set<RecordKey> = []
    }

    /// The last write of each record that nothing of the device has followed.
    private var current: [Int: [RecordKey: Expectation]] = [:]
    /// Writes that something from elsewhere replaced on the device: they must be accounted for as well.
    private var replaced: [Expectation] = []
    private(set) var journals: [Int: Journal] = [:]
    /// Devices whose rows differ from their facts by writes that nothing tracks: a comparison says so.
    var mayBeCompared: Set<Int> = []
    /// Records that users of a device deleted.
    private(set) var deleted: [Int: Set<RecordKey>] = [:]
    /// Records that users of a device brought back by the library: their content stands again, although it is what it was.
    private(set) var undeleted: [Int: Set<RecordKey>] = [:]
    /// The stamps of each device's own puts that it has seen confirmed.
    private var confirmed: [Int: Set<HybridTimestamp>] = [:]

    /// Whether a device has seen an own put confirmed.
    func hasConfirmed(_ put: HybridTimestamp, _ device: Int) -> Bool { confirmed[device]?.contains(put) ?? false }

    /// Whether a transaction of a device has left a row of the record.
    func hasShown(_ key: RecordKey, _ device: Int) -> Bool {
        current[device]?[key]?.row != nil || replaced.contains { $0.device == device && $0.key == key }
    }

    var expectations: [Expectation] {
        replaced + current.sorted { $0.key < $1.key }.flatMap { $0.value.sorted { $0.key < $1.key }.map(\.value) }
    }

    // MARK: Writes

    mutating func undeleted(_ key: RecordKey, _ device: Int) { undeleted[device, default: []].insert(key) }

    mutating func committed(_ transaction: Transaction) {
        for key in transaction.deleted { deleted[transaction.device, default: []].insert(key) }
        for table in transaction.tables {
            guard transaction.before.tables[table.entity] != nil, transaction.after.tables[table.entity] != nil,
                !transaction.after.isReplaced(table)
            else {
                forgetRows(of: table, transaction)
                continue
            }
            for id in transaction.before.ids(table).union(transaction.after.ids(table)).sorted() {
                compare(RecordKey(entity: table.entity, id: id), table, transaction)
            }
        }
    }

    /// A row that a delete rule takes out of sight is there all the same: what was written there is to arrive.
    private mutating func compare(_ key: RecordKey, _ table: ForeignTable, _ transaction: Transaction) {
        let device = transaction.device
        let (before, after) = (transaction.before.present(key), transaction.after.present(key))
        if let after {
            let row = table.synchronised(after)
            if transaction.deletesFrom.contains(key.entity), transaction.after[key] == nil {
                deleted[device, default: []].insert(key)
            }
            if let before, Self.isSame(table.synchronised(before), row, transaction) { return }
            supersede(key, table, before, device)
            current[device, default: [:]][key] = Expectation(
                device: device, key: key, row: row, by: transaction.by,
                mayBeRefused: transaction.mayBeRefused || row.values.contains(where: \.isUnusual))
        } else if before != nil {
            // A delete that a rule keeps waits beside the row; the next one is that delete, whatever becomes of it then.
            if let last = current[device]?[key], last.row == nil { current[device]?[key] = nil }
            supersede(key, table, before, device)
            deleted[device, default: []].insert(key)
            guard transaction.before.isTracked(table), transaction.after.isTracked(table), !transaction.mayEvictByRowid
            else { return }
            guard let put = transaction.facts[key]?.put?.stamp else { return }
            current[device, default: [:]][key] = Expectation(
                device: device, key: key, row: nil, deleted: put, by: transaction.by)
        }
    }

    /// Whether only references changed that read nil now because their record is gone.
    private static func isSame(
        _ before: [String: ForeignValue], _ after: [String: ForeignValue], _ transaction: Transaction
    ) -> Bool {
        guard before != after else { return true }
        return after.allSatisfy { name, value in
            if before[name] == value { return true }
            guard value == .null, case .blob(let bytes)? = before[name], bytes.count == 16,
                let id = RecordID(bytes: bytes)
            else { return false }
            let wasThere = transaction.before.tables.values.contains { $0[id] != nil }
            return wasThere && !transaction.after.tables.values.contains { $0[id] != nil }
        }
    }

    /// The device writes a record again: what it overwrites knowingly is not asked for any more.
    private mutating func supersede(_ key: RecordKey, _ table: ForeignTable, _ before: ForeignRow?, _ device: Int) {
        guard let last = current[device]?.removeValue(forKey: key) else { return }
        if !table.isSame(last.row, before.map(table.synchronised)) { replaced.append(last) }
    }

    /// A table was dropped or replaced: what stood in it and waited is gone, and nothing of it counts as deleted.
    ///
    /// Where columns have other names it is still the table whose triggers track deletes, and the identifiers tell which rows went: also of
    /// records that no fact tells of, such as those of a push under way.
    private mutating func forgetRows(of table: ForeignTable, _ transaction: Transaction) {
        if transaction.deletesFrom.contains(table.entity) {
            var gone = Set(transaction.facts.keys.filter { $0.entity == table.entity })
            if let before = transaction.before.tables[table.entity],
                let after = transaction.after.tables[table.entity]
            {
                gone = Set(before.keys.filter { after[$0] == nil }.map { RecordKey(entity: table.entity, id: $0) })
            }
            deleted[transaction.device, default: []].formUnion(gone)
        }
        guard let waiting = current[transaction.device] else { return }
        current[transaction.device] = waiting.filter { $0.key.entity != table.entity }
    }

    // MARK: Faults

    /// The device's file may have lost its last commits, or nobody knows whether one was made.
    mutating func mayHaveLost(_ device: Int) {
        current[device] = nil
        replaced.removeAll { $0.device == device }
    }

    /// Nobody knows whether a delete was committed.
    mutating func mayBeDeleted(_ key: RecordKey, _ device: Int) { deleted[device, default: []].insert(key) }

    /// A copy of a device's file continues as another device.
    mutating func copied(_ device: Int, to copy: Int) {
        deleted[copy] = deleted[device]
        undeleted[copy] = undeleted[device]
        journals[copy] = journals[device]
    }

    // MARK: What Roost says

    mutating func see(_ view: ReplicaView, _ device: Int) {
        for fact in view.facts.values {
            if let put = fact.put?.stamp, put.replica == view.replica { confirmed[device, default: []].insert(put) }
        }
        for entry in view.journal {
            if let put = entry.put {
                journals[device, default: Journal()].puts[entry.key, default: []].append(put)
            } else {
                journals[device, default: Journal()].deletes.insert(entry.key)
            }
            // With what a put cannot have.
            let saysBytes = entry.reason.utf8.firstRange(of: "SQL writes its bytes".utf8) != nil
            if entry.outcome != "beaten" || saysBytes { journals[device, default: Journal()].refused.insert(entry.key) }
        }
    }
}

extension ForeignTable {
    /// The columns of a row that are synchronised.
    func synchronised(_ row: ForeignRow) -> [String: ForeignValue] {
        row.columns.filter { name, _ in columns.contains { $0.name == name } }
    }

    /// Whether two readings of a row are of the same content: a reference may read nil in one, and a column may be missing.
    func isSame(_ one: [String: ForeignValue]?, _ other: [String: ForeignValue]?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return columns.allSatisfy { column in
            guard let left = one[column.name], let right = other[column.name] else { return true }
            return left == right || column.isReference && (left == .null || right == .null)
        }
    }
}
