internal import RoostModel

/// The writes that foreign programs have committed, read back by their own connection. The oracle therefore needs no SQL
/// semantics of its own.
struct ForeignOracle: Sendable {
    /// The state of one record after a committed transaction.
    struct Expectation: Hashable, Sendable {
        var device: Int
        var key: RecordKey
        /// The values of the row; `nil` for a deleted row.
        var row: [String: ForeignValue]?
        /// The put that the device had confirmed at the time of the delete.
        var deleted: HybridTimestamp?
        /// The statements, for a report.
        var by: String
        /// Whether a value of the row may be refused. It is then journaled, in whatever form it has.
        var mayBeRefused = false
    }

    /// A local transaction, as read by the foreign connection.
    struct Transaction {
        var device: Int
        var before: FileImage
        var after: FileImage
        var tables: [ForeignTable]
        /// The tables that the transaction's own statements may have deleted from.
        var deletesFrom: Set<EntityID>
        /// Records that the user deleted by name.
        var deleted: Set<RecordKey> = []
        /// The slots that the replica has confirmed.
        var facts: [RecordKey: SlotStamps]
        var by: String
        var mayBeRefused = false
        /// Whether a row may be gone because another one took its rowid. No trigger runs for it, and a comparison decides.
        var mayEvictByRowid = false
    }

    /// The entries of a device's journal.
    struct Journal: Sendable {
        var puts: [RecordKey: [[UInt8]]] = [:]
        var deletes: Set<RecordKey> = []
        var refused: Set<RecordKey> = []
    }

    /// The last write of each record on a device, unless a later event of the device has superseded it.
    private var current: [Int: [RecordKey: Expectation]] = [:]
    /// Writes that a change from elsewhere replaced on the device. They must be accounted for too.
    private var replaced: [Expectation] = []
    private(set) var journals: [Int: Journal] = [:]
    /// Devices whose rows may differ from their facts by untracked writes, which a comparison may push.
    var mayBeCompared: Set<Int> = []
    /// Records that users of each device deleted.
    private(set) var deleted: [Int: Set<RecordKey>] = [:]
    /// Records that users of each device undeleted through the library. Their content is written again although it is
    /// unchanged.
    private(set) var undeleted: [Int: Set<RecordKey>] = [:]
    /// The stamps of each device's own puts that it has observed as confirmed.
    private var confirmed: [Int: Set<HybridTimestamp>] = [:]

    /// Returns whether a device has observed an own put as confirmed.
    func hasConfirmed(_ put: HybridTimestamp, _ device: Int) -> Bool { confirmed[device]?.contains(put) ?? false }

    /// Returns whether a transaction of a device has left a row of the record.
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

    /// Returns whether a row still has a value that may be refused. SQLite checks the constraints only of columns that a
    /// statement changes.
    private func mayStillBeRefused(_ row: [String: ForeignValue], _ key: RecordKey, _ device: Int) -> Bool {
        guard let last = current[device]?[key], last.mayBeRefused, let earlier = last.row else { return false }
        return row.contains {
            $0.key != "text" && $0.key != "number" && $0.value != .null && earlier[$0.key] == $0.value
        }
    }

    /// Compares a record before and after a transaction. A row hidden by a delete rule still exists: writes to it have to
    /// arrive.
    private mutating func compare(_ key: RecordKey, _ table: ForeignTable, _ transaction: Transaction) {
        let device = transaction.device
        let (before, after) = (transaction.before.present(key), transaction.after.present(key))
        if let after {
            let row = table.synchronised(after)
            if transaction.deletesFrom.contains(key.entity), transaction.after[key] == nil {
                deleted[device, default: []].insert(key)
            }
            if let before, Self.isSame(table.synchronised(before), row, transaction) { return }
            let mayStillBeRefused = mayStillBeRefused(row, key, device)
            supersede(key, table, before, device)
            current[device, default: [:]][key] = Expectation(
                device: device, key: key, row: row, by: transaction.by,
                mayBeRefused: transaction.mayBeRefused || mayStillBeRefused
                    || row.values.contains(where: \.isUnusual))
        } else if before != nil {
            // A delete that a delete rule keeps is pending next to the row. A second delete of the row coincides with it,
            // whatever its outcome.
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

    /// Returns whether only references changed that are masked because their record is gone.
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

    /// Handles another write of the record by the device. A write that it overwrites knowingly need not be accounted for.
    private mutating func supersede(_ key: RecordKey, _ table: ForeignTable, _ before: ForeignRow?, _ device: Int) {
        guard let last = current[device]?.removeValue(forKey: key) else { return }
        if !table.isSame(last.row, before.map(table.synchronised)) { replaced.append(last) }
    }

    /// Handles a table that was dropped or replaced: its pending writes are gone, and none of its rows counts as deleted.
    ///
    /// A table with renamed columns is still the one whose triggers track deletes. Its identifiers then tell which rows were
    /// deleted, including those of records without a fact, such as records of a push in flight.
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

    /// Forgets a device's writes: its file may have lost its last commits, or it is unknown whether a commit succeeded.
    mutating func mayHaveLost(_ device: Int) {
        current[device] = nil
        replaced.removeAll { $0.device == device }
    }

    /// Records a delete of which it is unknown whether it was committed.
    mutating func mayBeDeleted(_ key: RecordKey, _ device: Int) { deleted[device, default: []].insert(key) }

    /// Copies the records of a device to another device, whose file is a copy.
    mutating func copied(_ device: Int, to copy: Int) {
        deleted[copy] = deleted[device]
        undeleted[copy] = undeleted[device]
        journals[copy] = journals[device]
    }

    // MARK: Observations of Roost

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
            // Includes values that a put cannot have.
            let saysBytes = entry.reason.utf8.firstRange(of: "SQL writes its bytes".utf8) != nil
            if entry.outcome != "beaten" || saysBytes { journals[device, default: Journal()].refused.insert(entry.key) }
        }
    }
}

extension ForeignTable {
    /// Returns the synchronised columns of a row.
    func synchronised(_ row: ForeignRow) -> [String: ForeignValue] {
        row.columns.filter { name, _ in columns.contains { $0.name == name } }
    }

    /// Returns whether two readings of a row have equal content. A reference may be masked in one of them, and a column may
    /// be missing.
    func isSame(_ one: [String: ForeignValue]?, _ other: [String: ForeignValue]?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return columns.allSatisfy { column in
            guard let left = one[column.name], let right = other[column.name] else { return true }
            return left == right || column.isReference && (left == .null || right == .null)
        }
    }
}
