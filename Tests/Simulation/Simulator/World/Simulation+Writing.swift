internal import Replica
internal import Roost
internal import RoostModel
internal import Session

/// Writes of users on their devices.
extension Simulation {
    func write(_ device: SimulatedDevice, _ writer: Step.Writer) throws {
        guard device.isOpen, !device.isRetired else { return }
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            try write(device, writer) { $0.transaction(using: &random) }
            guard device.isOpen, !device.disk.isDead else { break }
        }
        try wrote(device)
    }

    /// Writes a transaction that the server refuses.
    func writeTooLarge(_ device: SimulatedDevice, _ writer: Step.Writer) throws {
        guard device.isOpen, !device.isRetired else { return }
        try write(device, writer) { $0.tooLarge(using: &random) }
        try wrote(device)
    }

    /// Writes a cycle of two folders, one of which is deleted.
    func writeCycle(_ device: SimulatedDevice, using random: inout SplitMix64) throws {
        guard device.isOpen, !device.isRetired else { return }
        try write(device, .library) { $0.cycle(using: &random) }
        try wrote(device)
    }

    private func write(
        _ device: SimulatedDevice, _ writer: Step.Writer, _ draw: (inout OperationMaker) -> [Operation]
    ) throws {
        try look(at: device)
        var maker = OperationMaker(
            device.view, device: device.index, version: device.schemaVersion, count: writeCount)
        let operations = draw(&maker)
        writeCount += maker.used
        if !operations.isEmpty { try write(operations, device, writer) }
    }

    func wrote(_ device: SimulatedDevice) throws {
        if device.disk.isDead { return try crash(device) }
        try look(at: device)
        try drive(device) { driver, now in driver.handle(.localChange, at: now) }
    }

    private func write(_ operations: [Operation], _ device: SimulatedDevice, _ writer: Step.Writer) throws {
        guard device.foreign == nil else { return try writeObserved(operations, device, writer) }
        let seen = device.view.newest
        let notes = notes(after: operations, device, writer)
        var outcome = Outcome.committed
        var effective = operations
        do {
            effective = try device.run { try perform(operations, device, writer) }
        } catch {
            outcome = Self.outcome(of: error, device)
            if case .impossible = outcome {
                throw Violation(.session, "replica \(device.index) cannot write by \(writer): \(error)")
            }
        }
        trace.note(
            "\(clock.now) d\(device.index) \(writer) \(outcome): \(operations.map(\.summary).joined(separator: "; "))")
        switch outcome {
        case .committed:
            counts[.transactions] += 1
            if writer == .otherProcess { counts[.otherProcessWrite] += 1 }
            if writer == .plainSQL { counts[.plainSQLWrite] += 1 }
            tell(effective, device, seen, notes, isCertain: true)
        case .unknown: tell(operations, device, seen, notes, isCertain: false)
        case .denied: counts[.denied] += 1
        case .impossible: break
        }
    }

    /// - Returns: The operations that changed something: SQL reports no error for a missing row.
    func perform(
        _ operations: [Operation], _ device: SimulatedDevice, _ writer: Step.Writer
    ) throws -> [Operation] {
        switch writer {
        case .library, .otherProcess:
            _ = try device.writer(otherProcess: writer == .otherProcess)?.write("step") { transaction in
                for operation in operations { try operation.perform(in: transaction) }
            }
            return operations
        case .plainSQL:
            let inSQL = operations.compactMap { operation in
                operation.sql(device.identifiers).map { (operation: operation, sql: $0) }
            }
            let changes = try device.plainConnection().transaction(inSQL.map(\.sql))
            return zip(inSQL, changes).filter { $0.1 > 0 }.map(\.0.operation)
        }
    }

    /// Reports each record's last operation to the checkers: values overwritten in the same transaction were never visible.
    private func tell(
        _ operations: [Operation], _ device: SimulatedDevice, _ seen: UInt64,
        _ notes: [LocalWrite.Kind: [PropertyID: String]], isCertain: Bool
    ) {
        for (place, operation) in operations.enumerated() {
            let isLast = !operations[(place + 1)...].contains { $0.key == operation.key }
            messageCount += 1
            checks.wrote(
                LocalWrite(
                    number: messageCount, device: device.index, key: operation.key, kind: operation.written, seen: seen,
                    isCertain: isCertain && isLast, notes: notes[operation.written]))
        }
    }

    /// Returns the values of later schema versions that a visible record must have now, by the writes and accepted changes;
    /// `nil` if the record is hidden or they are unknown.
    private func stored(_ key: RecordKey, _ device: SimulatedDevice) -> [PropertyID: String]? {
        let view = device.view
        guard let row = view.rows[key], row.isVisible else {
            return view.rows[key] == nil && view.facts[key] == nil && view.outbox[key] == nil ? [:] : nil
        }
        // Another program may have copied the text of another record.
        if let write = checks.accounting.write(with: row.text), write.key == key, let notes = write.notes {
            return notes
        }
        guard let put = view.facts[key]?.put, let encoded = ledger.content(key, put),
            let accepted = try? Expected(encoded), accepted.text == row.text
        else { return nil }
        return accepted.notes
    }

    /// Returns the values that each put of an item must have for the attributes of later schema versions, even those unknown
    /// to its writer.
    private func notes(
        after operations: [Operation], _ device: SimulatedDevice, _ writer: Step.Writer
    ) -> [LocalWrite.Kind: [PropertyID: String]] {
        let known = SampleSchema.notes(version: device.schemaVersion)
        var present: [RecordKey: [PropertyID: String]] = [:]
        var result: [LocalWrite.Kind: [PropertyID: String]] = [:]
        var unknown: Set<RecordKey> = []
        for operation in operations where operation.key.entity == SampleSchema.item {
            let key = operation.key
            guard let marker = operation.marker else {
                // The values of an undeleted record are not checked.
                unknown.insert(key)
                continue
            }
            if present[key] == nil { present[key] = stored(key, device) }
            guard !unknown.contains(key), var notes = present[key] else { continue }
            // A row that replaces another one has its own values, and the defaults.
            if case .put = operation, writer == .plainSQL { for note in known { notes[note.property] = nil } }
            for note in known where operation.notes.contains(note.name) { notes[note.property] = marker }
            present[key] = notes
            let isUnknown = notes.contains { note in
                note.value != SampleSchema.noteDefault && !known.contains { $0.property == note.key }
            }
            if isUnknown { counts[.unknownAttributes] += 1 }
            result[operation.written] = notes
        }
        return result
    }

    private enum Outcome {
        case committed
        /// A delete rule refused the transaction, and nothing was written.
        case denied
        /// The disk failed: the write may or may not be committed.
        case unknown
        case impossible
    }

    private static func outcome(of error: any Error, _ device: SimulatedDevice) -> Outcome {
        if device.disk.isDead { return .unknown }
        switch error {
        case let error as ReplicaError:
            if [.denied, .unknown, .invalidValue].contains(error.code) { return .denied }
            return device.hasDiskFault && [.diskFull, .sqlite, .corrupt].contains(error.code) ? .unknown : .impossible
        case let error as PlainConnection.Failure:
            // SQLITE_CONSTRAINT: a deny rule.
            if error.code == 19 { return .denied }
            return device.hasDiskFault ? .unknown : .impossible
        default: return device.hasDiskFault ? .unknown : .impossible
        }
    }
}

extension Operation {
    var summary: String {
        switch self {
        case .put(let key, let marker, let number, let references, _):
            "put \(key.short) \(marker.prefix(8)) \(number) \(references.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.low)" })"
        case .setText(let key, let marker, _): "set \(key.short) \(marker.prefix(8))"
        case .setReference(let key, let column, let target, let marker):
            "set \(key.short) \(marker.prefix(8)) \(column)=\(target.map { "\($0.low)" } ?? "nil")"
        case .delete(let key): "delete \(key.short)"
        case .undelete(let key): "undelete \(key.short)"
        }
    }
}

extension RecordKey {
    var short: String { "\(SampleSchema.name(entity))/\(id.low % 10_000)" }
}
