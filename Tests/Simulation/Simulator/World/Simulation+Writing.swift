internal import Replica
internal import Roost
internal import RoostModel
internal import Session
internal import TestSupport

/// What users do on their devices.
extension Simulation {
    func write(_ device: SimulatedDevice, _ writer: Step.Writer) throws {
        guard device.isOpen, !device.isRetired else { return }
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            try write(device, writer) { $0.transaction(using: &random) }
            guard device.isOpen, !device.disk.isDead else { break }
        }
        try wrote(device)
    }

    /// A cycle of two folders, of which one is deleted.
    func writeCycle(_ device: SimulatedDevice, using random: inout SplitMix64) throws {
        guard device.isOpen, !device.isRetired else { return }
        try write(device, .library) { $0.cycle(using: &random) }
        try wrote(device)
    }

    private func write(
        _ device: SimulatedDevice, _ writer: Step.Writer, _ draw: (inout OperationMaker) -> [Operation]
    ) throws {
        try look(at: device)
        var maker = OperationMaker(device.view, device: device.index, count: writeCount)
        let operations = draw(&maker)
        writeCount += maker.used
        if !operations.isEmpty { try write(operations, device, writer) }
    }

    private func wrote(_ device: SimulatedDevice) throws {
        if device.disk.isDead { return try crash(device) }
        try look(at: device)
        try drive(device) { driver, now in driver.localChange(at: now) }
    }

    private func write(_ operations: [Operation], _ device: SimulatedDevice, _ writer: Step.Writer) throws {
        let seen = device.view.newest
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
            tell(effective, device, seen, isCertain: true)
        case .unknown: tell(operations, device, seen, isCertain: false)
        case .denied: counts[.denied] += 1
        case .impossible: break
        }
    }

    /// - Returns: The operations that changed something: SQL says nothing where a row is not there.
    private func perform(
        _ operations: [Operation], _ device: SimulatedDevice, _ writer: Step.Writer
    ) throws -> [Operation] {
        switch writer {
        case .library, .otherProcess:
            _ = try device.writer(otherProcess: writer == .otherProcess)?.write("step") { transaction in
                for operation in operations { try operation.perform(in: transaction) }
            }
            return operations
        case .plainSQL:
            let inSQL = operations.filter { $0.sql != nil }
            let changes = try device.plainConnection().transaction(inSQL.compactMap(\.sql))
            return zip(inSQL, changes).filter { $0.1 > 0 }.map(\.0)
        }
    }

    /// The checkers hear of each record's last operation: what a transaction overwrote itself was never there.
    private func tell(_ operations: [Operation], _ device: SimulatedDevice, _ seen: UInt64, isCertain: Bool) {
        for (place, operation) in operations.enumerated() {
            let isLast = !operations[(place + 1)...].contains { $0.key == operation.key }
            messageCount += 1
            checks.wrote(
                LocalWrite(
                    number: messageCount, device: device.index, key: operation.key, kind: operation.written, seen: seen,
                    isCertain: isCertain && isLast))
        }
    }

    private enum Outcome {
        case committed
        /// A rule stood against it, and nothing was written.
        case denied
        /// The disk failed: it may be there or not.
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
        case .put(let key, let marker, let number, let references):
            "put \(key.short) \(marker) \(number) \(references.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.low)" })"
        case .setText(let key, let marker): "set \(key.short) \(marker)"
        case .setReference(let key, let column, let target, let marker):
            "set \(key.short) \(marker) \(column)=\(target.map { "\($0.low)" } ?? "nil")"
        case .delete(let key): "delete \(key.short)"
        case .undelete(let key): "undelete \(key.short)"
        }
    }
}

extension RecordKey {
    var short: String { "\(SampleSchema.name(entity))/\(id.low % 10_000)" }
}
