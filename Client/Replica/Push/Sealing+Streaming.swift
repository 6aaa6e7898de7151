internal import GRDB
internal import RoostModel
internal import RoostProtocol

/// Seals an outbox that is too large for memory: entry by entry in their order, and each push is stored as soon as it is full.
///
/// Plain path: ``seal(_:_:_:)``, which holds all entries. `LargeOutboxTests` compares the two.
extension Sealing {
    /// The number of entries of one local transaction that are turned into changes together.
    private static let groupPart = 256

    /// The outcome of one pass through the outbox.
    enum Streamed {
        /// Everything was sealed, or as much as may be sealed at once.
        case sealed(splits: Int, isUnsettled: Bool)
        /// A transaction has to be examined as a whole, as ``seal(_:_:_:)`` does. The caller discards the pushes stored so far.
        case notSendable
    }

    /// Seals the outbox in one pass.
    ///
    /// - Parameter store: Stores full pushes.
    func stream(storing store: ([PushRequest]) throws -> Void) throws -> Streamed {
        try database.withSmallCache {
            var run = try StreamedRun(self)
            defer { run.close() }
            let isDone = try run.seal(store)
            // Later writes of other programs belong to another transaction.
            try StateStore(database: database).endSealing(at: run.clock)
            guard isDone else { return .notSendable }
            return .sealed(splits: run.packer.splits, isUnsettled: run.isUnsettled)
        }
    }

    /// One pass through the outbox.
    private struct StreamedRun {
        private let sealing: Sealing
        private let rows: RowStore
        private let entries: Query
        private var groups: TransactionGroups
        private var group: [Outbox.Entry] = []
        private var contents: [[UInt8]?] = []
        private var sealed = 0
        private(set) var clock: UInt64
        private(set) var packer: PushPacker
        private(set) var isUnsettled = false

        init(_ sealing: Sealing) throws {
            self.sealing = sealing
            rows = try RowStore(sealing.database, sealing.layout)
            if rows.occupancy.hasMasks { try sealing.checkStoredReferences() }
            groups = try TransactionGroups(sealing.database)
            entries = try sealing.database.query(Outbox.entriesSQL)
            clock = HybridTimestamp(time: 0, replica: sealing.replica).time
            packer = PushPacker(from: sealing.lastNumber + 1, sealing.checkpoint, sealing.limits)
        }

        func close() {
            entries.reset()
            groups.close()
        }

        /// Seals the outbox.
        ///
        /// - Returns: Whether everything could be sealed.
        mutating func seal(_ store: ([PushRequest]) throws -> Void) throws -> Bool {
            let nameless = NamelessEntries(rows: rows, stamps: sealing.stamps)
            var last: Int64?
            var isFull = false
            while try entries.step() {
                guard let entry = Outbox.Entry(entries) else { continue }
                if last.map({ entry.last > $0 }) ?? true {
                    try endPart(store)
                    packer.endTransaction()
                    isFull = sealed >= sealing.limits.changesPerSealing
                    let group = try groups.next(from: entry.last)
                    packer.beginTransaction(group.count)
                    last = group.last
                }
                if isFull {
                    try restamp(entry)
                    continue
                }
                let content = entry.put == nil ? nil : try rows.readablePut(of: entry.key)
                if let content {
                    guard rows.refusal(of: entry.key, content, bytesMax: sealing.limits.bytesPerPut) == nil else {
                        return false
                    }
                } else if try entry.put != nil || nameless.contains(entry.key) {
                    return false
                }
                group.append(entry)
                contents.append(content)
                if group.count == Sealing.groupPart { try endPart(store) }
            }
            try endPart(store)
            packer.finish()
            try store(packer.flush())
            return true
        }

        private mutating func endPart(_ store: ([PushRequest]) throws -> Void) throws {
            guard !group.isEmpty else { return }
            var result = Result()
            let changes = try sealing.changes(of: group, contents, clock: &clock, &result)
            sealed += changes.count
            for change in changes { packer.add(change) }
            try note(result)
            try store(packer.flush())
            group.removeAll(keepingCapacity: true)
            contents.removeAll(keepingCapacity: true)
        }

        /// Gives an entry that is left for the next sealing a later stamp than all changes that are sealed now.
        private mutating func restamp(_ entry: Outbox.Entry) throws {
            var result = Result()
            _ = try sealing.finalTimes(of: entry, after: &clock, sealing.stamps.confirmed(entry.key), &result)
            try note(result)
        }

        private mutating func note(_ result: Result) throws {
            try sealing.outbox.setStamps(result.restamped, of: nil)
            for key in result.unsettled { try sealing.outbox.unsettle(key) }
            isUnsettled = isUnsettled || !result.unsettled.isEmpty
        }
    }
}
