internal import RoostModel

/// Which stamps the writes of users got, read off the outbox while they wait. A write gets another one where it is stamped anew, so
/// there may be several.
struct WrittenStamps {
    /// The puts and the deletes of one record on one device, oldest first: one of each may wait there.
    private struct Waiting {
        var puts: [LocalWrite] = []
        var deletes: [LocalWrite] = []

        mutating func doubt() {
            for index in puts.indices { puts[index].isCertain = false }
            for index in deletes.indices { deletes[index].isCertain = false }
        }

        /// Those that may be what waits: the last that is sure to have been committed, and what came after it.
        static func candidates(_ writes: [LocalWrite]) -> ArraySlice<LocalWrite> {
            writes[(writes.lastIndex { $0.isCertain } ?? 0)...]
        }
    }

    private var waiting: [Int: [RecordKey: Waiting]] = [:]
    /// Clock readings of deletes and of undeletes, by number of the write. Where several may be what waits, it is the reading of each.
    private var readings: [Int: Set<UInt64>] = [:]
    /// Readings under which deletes of users waited.
    private var deleted: [RecordKey: Set<UInt64>] = [:]
    /// What was written under a reading: puts, then deletes. Only where one write alone may be what waited.
    private var puts: [RecordKey: [UInt64: LocalWrite]] = [:]
    private var deletes: [RecordKey: [UInt64: LocalWrite]] = [:]

    mutating func wrote(_ write: LocalWrite) {
        if write.kind == .delete {
            waiting[write.device, default: [:]][write.key, default: Waiting()].deletes.append(write)
        } else {
            waiting[write.device, default: [:]][write.key, default: Waiting()].puts.append(write)
        }
    }

    /// The device's file may be older than it was: what waits there may be of an earlier write.
    mutating func mayHaveLost(_ device: Int) {
        guard let keys = waiting[device]?.keys else { return }
        for key in Array(keys) { waiting[device]?[key]?.doubt() }
    }

    /// A copy of the device's file: what waits there waits here too.
    mutating func copied(_ device: Int, to copy: Int) { waiting[copy] = waiting[device] }

    /// What waits on a device.
    mutating func see(_ outbox: [RecordKey: ReplicaView.Pending], _ device: Int) {
        for (key, pending) in outbox {
            guard let waiting = waiting[device]?[key] else { continue }
            if let reading = pending.delete, !waiting.deletes.isEmpty {
                let writes = Waiting.candidates(waiting.deletes)
                for write in writes { readings[write.number, default: []].insert(reading) }
                deleted[key, default: []].insert(reading)
                note(writes, reading, in: &deletes[key, default: [:]])
            }
            if let reading = pending.put, !waiting.puts.isEmpty {
                let writes = Waiting.candidates(waiting.puts)
                for write in writes where write.kind == .undelete {
                    readings[write.number, default: []].insert(reading)
                }
                note(writes, reading, in: &puts[key, default: [:]])
            }
        }
    }

    private func note(_ writes: ArraySlice<LocalWrite>, _ reading: UInt64, in known: inout [UInt64: LocalWrite]) {
        guard let write = writes.first, writes.count == 1, write.isCertain, known[reading] == nil else { return }
        known[reading] = write
    }

    /// The earliest reading of a delete or undelete; `nil` where it was never seen to wait.
    func first(of write: LocalWrite) -> UInt64? { readings[write.number]?.min() }

    /// The latest reading, which whatever beats the write is later than.
    func last(of write: LocalWrite) -> UInt64? { readings[write.number]?.max() }

    /// Whether a journal names a delete or undelete by one of its readings.
    func isNamed(_ write: LocalWrite, in journal: [RecordKey: Set<UInt64>]) -> Bool {
        guard let named = journal[write.key], let own = readings[write.number] else { return false }
        return !named.isDisjoint(with: own)
    }

    /// Whether a user's delete waited under a delete's stamp.
    func isUsers(_ delete: Change) -> Bool { deleted[delete.key]?.contains(delete.stamp.time) ?? false }

    /// What a user wrote under the stamp of a change; `nil` where that was not seen.
    func write(of change: Change) -> LocalWrite? {
        switch change.kind {
        case .put: puts[change.key]?[change.stamp.time]
        case .delete: deletes[change.key]?[change.stamp.time]
        }
    }
}
