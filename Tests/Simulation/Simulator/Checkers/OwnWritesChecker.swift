internal import RoostModel

/// I4 and I10: what was committed on a device is there after every fault, and stays until something greater stands there
/// or the journal says what became of it.
struct OwnWritesChecker {
    /// What the journal of a device says of its own changes.
    struct Journal: Hashable {
        var markers: Set<String> = []
        var deletes: Set<RecordKey> = []
        /// The greatest put of each record that a server which was put back lost.
        var lost: [RecordKey: HybridTimestamp] = [:]

        /// Whether a later put than one of these was lost. It beat them before; nothing needs to say so where it knew them.
        func hasLostLater(than stamps: [HybridTimestamp], of key: RecordKey) -> Bool {
            guard let lost = lost[key] else { return false }
            return stamps.contains { $0 < lost }
        }
    }

    /// By device and record, oldest first; only those that may still have to be there.
    private var writes: [Int: [RecordKey: [LocalWrite]]] = [:]
    private(set) var journals: [Int: Journal] = [:]

    mutating func wrote(_ write: LocalWrite) {
        writes[write.device, default: [:]][write.key, default: []].append(write)
    }

    /// The device's file may have lost its last commits, or was replaced by an older one.
    mutating func mayHaveLost(_ device: Int) {
        for (key, list) in writes[device] ?? [:] {
            writes[device]?[key] = list.map { write in
                var write = write
                write.isCertain = false
                return write
            }
        }
    }

    /// A copy of the device's file: what was written there is here too.
    mutating func copied(_ device: Int, to copy: Int) {
        writes[copy] = writes[device]
        journals[copy] = journals[device]
    }

    mutating func check(
        _ view: ReplicaView, device: Int, _ ledger: Ledger, accepted: (String) -> [HybridTimestamp]
    ) throws {
        for entry in view.journal {
            if let put = entry.put {
                journals[device, default: Journal()].markers.insert(try Expected(put).text)
                if entry.outcome == "lost" {
                    let before = journals[device]?.lost[entry.key] ?? entry.stamp
                    journals[device]?.lost[entry.key] = max(before, entry.stamp)
                }
            } else {
                journals[device, default: Journal()].deletes.insert(entry.key)
            }
        }
        for (key, list) in writes[device] ?? [:] {
            var last = list.count - 1
            while last >= 0, !isThere(list[last], view, device, ledger, accepted) {
                let write = list[last]
                if write.isCertain {
                    throw Violation(
                        .ownWrites,
                        "replica \(device): write \(write.number) of \(key) (\(write.kind)) was committed, and nothing says "
                            + "what became of it; the row reads \(view.rows[key].map { "\($0.text)" } ?? "nothing")")
                }
                last -= 1
            }
            // What may be there or not stays: a commit whose sync failed stands in the log, and whoever opens the file next
            // finds it there.
            if last > 0 { writes[device]?[key] = Array(list[last...]) }
        }
    }

    private func isThere(
        _ write: LocalWrite, _ view: ReplicaView, _ device: Int, _ ledger: Ledger,
        _ accepted: (String) -> [HybridTimestamp]
    ) -> Bool {
        let journal = journals[device] ?? Journal()
        switch write.kind {
        case .put(let marker):
            if view.rows[write.key]?.text == marker || journal.markers.contains(marker) { return true }
            let stamps = accepted(marker)
            if ledger.hasPurged(write.key, stamps) { return true }
            if journal.hasLostLater(than: stamps, of: write.key) { return true }
            if ledger.isDeletedWithContent(write.key, stamps, by: view.facts[write.key]?.delete) { return true }
            guard let put = view.facts[write.key]?.put else { return false }
            return stamps.contains { put.stamp > $0 }
        case .delete:
            return view.outbox[write.key]?.delete != nil || view.facts[write.key]?.delete != nil
                || journal.deletes.contains(write.key) || ledger.hasPurged(write.key)
                || ledger.isAboveLostDeletes(write.key, view.facts[write.key]?.put?.stamp)
        case .undelete: return true
        }
    }
}
