internal import RoostModel

/// The stamps of users' writes, read from the outbox while they are pending. A write that is stamped again has several.
struct WrittenStamps {
    /// The writes of one record on one device, puts and deletes, oldest first. One of each may be pending.
    private struct Waiting {
        var puts: [LocalWrite] = []
        var deletes: [LocalWrite] = []

        mutating func doubt() {
            for index in puts.indices { puts[index].isCertain = false }
            for index in deletes.indices { deletes[index].isCertain = false }
        }

        /// Returns the writes that may be the pending one: the last that was certainly committed, and the later ones.
        static func candidates(_ writes: [LocalWrite]) -> ArraySlice<LocalWrite> {
            writes[(writes.lastIndex { $0.isCertain } ?? 0)...]
        }
    }

    private var waiting: [Int: [RecordKey: Waiting]] = [:]
    /// Clock readings of deletes and of undeletes, by number of the write. If several writes may be the pending one, each
    /// gets its reading.
    private var readings: [Int: Set<UInt64>] = [:]
    /// Clock readings of users' pending deletes.
    private var deleted: [RecordKey: Set<UInt64>] = [:]
    /// The put of each clock reading, then the delete of each. Only a write that alone may have been the pending one has an
    /// entry.
    private var puts: [RecordKey: [UInt64: LocalWrite]] = [:]
    private var deletes: [RecordKey: [UInt64: LocalWrite]] = [:]

    mutating func wrote(_ write: LocalWrite) {
        if write.kind == .delete {
            waiting[write.device, default: [:]][write.key, default: Waiting()].deletes.append(write)
        } else {
            waiting[write.device, default: [:]][write.key, default: Waiting()].puts.append(write)
        }
    }

    /// Handles a device's file that may be older than before: its pending changes may be of earlier writes.
    mutating func mayHaveLost(_ device: Int) {
        guard let keys = waiting[device]?.keys else { return }
        for key in Array(keys) { waiting[device]?[key]?.doubt() }
    }

    /// Handles a copy of the device's file, which has the device's pending changes too.
    mutating func copied(_ device: Int, to copy: Int) { waiting[copy] = waiting[device] }

    /// Observes the pending changes of a device.
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

    /// Returns the earliest reading of a delete or undelete; `nil` if it was never observed as pending.
    func first(of write: LocalWrite) -> UInt64? { readings[write.number]?.min() }

    /// Returns the latest reading. Any change that beats the write is later.
    func last(of write: LocalWrite) -> UInt64? { readings[write.number]?.max() }

    /// Returns whether a journal names a delete or undelete by one of its readings.
    func isNamed(_ write: LocalWrite, in journal: [RecordKey: Set<UInt64>]) -> Bool {
        guard let named = journal[write.key], let own = readings[write.number] else { return false }
        return !named.isDisjoint(with: own)
    }

    /// Returns whether a user's delete was pending under a delete's stamp.
    func isUsers(_ delete: Change) -> Bool { deleted[delete.key]?.contains(delete.stamp.time) ?? false }

    /// Returns the user's write with the stamp of a change; `nil` if it was not observed.
    func write(of change: Change) -> LocalWrite? {
        switch change.kind {
        case .put: puts[change.key]?[change.stamp.time]
        case .delete: deletes[change.key]?[change.stamp.time]
        }
    }
}
