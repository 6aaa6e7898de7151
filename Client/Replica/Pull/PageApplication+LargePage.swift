internal import RoostModel

/// Applies a page of many records, such as those of a first pull. Another thread reads ahead, and one statement joins or writes
/// many records.
///
/// Plain path: ``merge(_:)`` for one record after the other. `LargePageTests` compares the two.
extension PageApplication {
    mutating func merge(_ records: [RecordState]) throws {
        guard records.count >= PageReading.recordsMin, let records = Self.inOrder(records) else {
            for record in records { try merge(record) }
            return
        }
        let reading = PageReading(records, layout)
        defer { reading.end() }
        var joins: [ConfirmedJoin] = []
        joins.reserveCapacity(ConfirmedJoin.batch)
        for first in stride(from: 0, to: records.count, by: ConfirmedJoin.batch) {
            let places = first..<min(first + ConfirmedJoin.batch, records.count)
            joins.removeAll(keepingCapacity: true)
            for index in places {
                joins.append(.init(reading[index]?.stamps ?? records[index].stamps, of: records[index].key))
            }
            if places.count == ConfirmedJoin.batch, !joins.contains(where: { $0.incoming == SlotStamps() }) {
                try stamps.joinConfirmed(&joins)
                for (index, join) in zip(places, joins) {
                    try merge(
                        records[index], join.incoming, before: join.before, after: join.after, read: reading[index])
                }
            } else {
                for index in places { try merge(records[index]) }
            }
        }
        try writeWaiting()
    }

    /// Sorts the records by key, which is the order of the tables' B-trees, so that records of neighbouring leaves follow each
    /// other. Identifiers made by devices are nearly in order; those that SQLite makes for other programs are random.
    ///
    /// - Returns: `nil` where a record occurs twice, which no Roost server sends.
    private static func inOrder(_ records: [RecordState]) -> [RecordState]? {
        var keys = records.map(\.key)
        guard zip(keys, keys.dropFirst()).contains(where: { $1 <= $0 }) else { return records }
        let order = keys.indices.sorted { keys[$0] < keys[$1] }
        keys = order.map { keys[$0] }
        guard !zip(keys, keys.dropFirst()).contains(where: { $0 == $1 }) else { return nil }
        return order.map { records[$0] }
    }

    // MARK: Batched rows

    /// Adds a row to the batch of its table, unless the record has content outside its visible table. A full batch is written.
    ///
    /// - Returns: Whether the row was added to a batch.
    mutating func waits(_ entry: RowBatch.Entry) throws -> Bool {
        guard entry.row.extra == nil, let table = layout[entry.key.entity], try rows.mayWait(entry.key, in: table)
        else { return false }
        let isNew = entry.held == nil
        var batch: RowBatch
        switch isNew ? waiting.new.take() : waiting.edited.take() {
        case let begun? where begun.table.entity == table.entity: batch = begun
        case let others:
            if let others { try write(others) }
            batch = RowBatch(of: table, areNew: isNew)
        }
        batch.add(entry)
        if batch.isFull {
            try write(batch)
        } else if isNew {
            waiting.new = batch
        } else {
            waiting.edited = batch
        }
        return true
    }

    private mutating func writeWaiting() throws {
        if let batch = waiting.new.take() { try write(batch) }
        if let batch = waiting.edited.take() { try write(batch) }
    }

    private mutating func write(_ batch: RowBatch) throws {
        let coding = RowCoding(batch.table)
        let outcome = try rows.write(batch)
        for entry in batch.entries {
            let writing: Writing
            if case .incomplete(let isAnew) = outcome {
                // A row that was inserted just now is not in place, even though its entry names the put that it replaces.
                let held = isAnew ? nil : entry.held
                writing = try write(
                    entry.encoded, to: entry.key, over: held, isNew: entry.held == nil, content: .success(entry.row))
            } else {
                writing = recordWritten(entry.row, coding, to: entry.key, isInPlace: outcome == .inPlace)
            }
            try recordChange(of: entry.key, entry.confirmed, writing, .init())
        }
    }
}
