internal import RoostModel

/// Which stamps the writes of users got, read off the outbox while they wait. A write gets another one where it is stamped anew, so
/// there may be several.
struct WrittenStamps {
    /// Clock readings of deletes and of undeletes, by number of the write.
    private var readings: [Int: Set<UInt64>] = [:]
    /// What was written under a reading: puts, then deletes. Only what is sure to have been committed: else the reading may be that of
    /// the write before.
    private var puts: [RecordKey: [UInt64: LocalWrite]] = [:]
    private var deletes: [RecordKey: [UInt64: LocalWrite]] = [:]

    /// The last put and the last delete of each record on each device: what may wait there.
    private var last: [Int: [RecordKey: (put: LocalWrite?, delete: LocalWrite?)]] = [:]

    mutating func wrote(_ write: LocalWrite) {
        if write.kind == .delete {
            last[write.device, default: [:]][write.key, default: (nil, nil)].delete = write
        } else {
            last[write.device, default: [:]][write.key, default: (nil, nil)].put = write
        }
    }

    /// The device's file may be older than it was: what waits there may be of an earlier write.
    mutating func mayHaveLost(_ device: Int) {
        for (key, writes) in last[device] ?? [:] {
            var (put, delete) = writes
            put?.isCertain = false
            delete?.isCertain = false
            last[device]?[key] = (put, delete)
        }
    }

    /// A copy of the device's file: what waits there waits here too.
    mutating func copied(_ device: Int, to copy: Int) { last[copy] = last[device] }

    /// What waits on a device.
    mutating func see(_ outbox: [RecordKey: ReplicaView.Pending], _ device: Int) {
        for (key, pending) in outbox {
            guard let last = last[device]?[key] else { continue }
            if let reading = pending.delete, let write = last.delete {
                readings[write.number, default: []].insert(reading)
                if write.isCertain, deletes[key]?[reading] == nil { deletes[key, default: [:]][reading] = write }
            }
            if let reading = pending.put, let write = last.put {
                if write.kind == .undelete { readings[write.number, default: []].insert(reading) }
                if write.isCertain, puts[key]?[reading] == nil { puts[key, default: [:]][reading] = write }
            }
        }
    }

    /// The earliest reading of a delete or undelete; `nil` where it was never seen to wait.
    func first(of write: LocalWrite) -> UInt64? { readings[write.number]?.min() }

    /// Whether a journal names a delete or undelete by one of its readings.
    func isNamed(_ write: LocalWrite, in journal: [RecordKey: Set<UInt64>]) -> Bool {
        guard let named = journal[write.key], let own = readings[write.number] else { return false }
        return !named.isDisjoint(with: own)
    }

    /// What a user wrote under the stamp of a change; `nil` where that was not seen.
    func write(of change: Change) -> LocalWrite? {
        switch change.kind {
        case .put: puts[change.key]?[change.stamp.time]
        case .delete: deletes[change.key]?[change.stamp.time]
        }
    }
}
