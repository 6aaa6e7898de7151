internal import RoostModel

/// I4 and I10: a committed write on a device survives every fault, until a greater stamp replaces it or the journal records
/// its outcome.
struct OwnWritesChecker {
    /// The entries of a device's journal about its own changes.
    struct Journal: Hashable {
        var markers: Set<String> = []
        /// Clock readings of the puts that the journal names, by record.
        var puts: [RecordKey: Set<UInt64>] = [:]
        var deletes: [RecordKey: Set<UInt64>] = [:]
        /// The greatest put of each record that a server restored from a backup had lost.
        var lost: [RecordKey: HybridTimestamp] = [:]

        /// Returns whether the journal names a delete of the record at or after a reading. It beat the older ones.
        func namesDelete(of key: RecordKey, from reading: UInt64) -> Bool {
            deletes[key]?.contains { $0 >= reading } ?? false
        }

        /// Returns whether a later put than one of these stamps was lost. It beat them before, and needs no journal entry if
        /// it knew them.
        func hasLostLater(than stamps: [HybridTimestamp], of key: RecordKey) -> Bool {
            guard let lost = lost[key] else { return false }
            return stamps.contains { $0 < lost }
        }

        /// Returns whether a later put than a time was lost, by any replica.
        func hasLostLater(than time: UInt64, of key: RecordKey) -> Bool {
            hasLostLater(than: [HybridTimestamp(time: time, replica: .unregistered)], of: key)
        }
    }

    /// The writes that may still have to be present, by device and record, oldest first.
    private var writes: [Int: [RecordKey: [LocalWrite]]] = [:]
    private(set) var journals: [Int: Journal] = [:]
    /// The number of contents that were too large to be sent.
    private(set) var tooLarge = 0
    /// The deletes and undeletes that were refused, by device.
    private var refusedWrites: [Int: Set<Int>] = [:]
    /// The undeletes that had nothing left to send, by device.
    private var answeredWrites: [Int: Set<Int>] = [:]
    /// Changes that the journal reports as refused.
    private var refusals: [Int: [RecordKey: Set<HybridTimestamp>]] = [:]
    /// The greatest confirmed stamps, as observed on a device, of each record that it has written.
    private var known: [Int: [RecordKey: Known]] = [:]

    private struct Known {
        var put: HybridTimestamp?
        var delete: HybridTimestamp?
    }
    /// The stamps of the writes.
    private(set) var stamps = WrittenStamps()

    mutating func wrote(_ write: LocalWrite) {
        writes[write.device, default: [:]][write.key, default: []].append(write)
        stamps.wrote(write)
    }

    /// Marks the writes of a device as uncertain: its file may have lost its last commits, or was replaced by an older one.
    mutating func mayHaveLost(_ device: Int) {
        stamps.mayHaveLost(device)
        for (key, list) in writes[device] ?? [:] {
            writes[device]?[key] = list.map { write in
                var write = write
                write.isCertain = false
                return write
            }
        }
    }

    /// Handles a copy of the device's file, which has the device's writes too.
    mutating func copied(_ device: Int, to copy: Int) {
        writes[copy] = writes[device]
        journals[copy] = journals[device]
        known[copy] = known[device]
        refusals[copy] = refusals[device]
        stamps.copied(device, to: copy)
    }

    mutating func check(
        _ view: ReplicaView, device: Int, _ ledger: Ledger, accepted: (String) -> [HybridTimestamp]
    ) throws {
        for entry in view.journal {
            if let put = entry.put {
                journals[device, default: Journal()].markers.insert(try Expected(put).text)
                journals[device]?.puts[entry.key, default: []].insert(entry.stamp.time)
                if entry.outcome == "lost" {
                    let before = journals[device]?.lost[entry.key] ?? entry.stamp
                    journals[device]?.lost[entry.key] = max(before, entry.stamp)
                }
            } else {
                journals[device, default: Journal()].deletes[entry.key, default: []].insert(entry.stamp.time)
            }
            if entry.outcome == "refused" { refused(entry.key, put: entry.put, device, entry.stamp) }
        }
        stamps.see(view.outbox, device)
        for (key, written) in writes[device] ?? [:] {
            // An undelete by another device makes this one obsolete, whatever becomes of the other device's put later.
            let answered = Self.isUndeletedElsewhere(key, view) ? written.filter { $0.kind == .undelete } : []
            answeredWrites[device, default: []].formUnion(answered.map(\.number))
            let list = written.filter { !answered.contains($0) }
            writes[device]?[key] = list
            if let facts = view.facts[key] {
                let before = known[device]?[key]
                known[device, default: [:]][key] = Known(
                    put: [before?.put, facts.put?.stamp].compactMap(\.self).max(),
                    delete: [before?.delete, facts.delete].compactMap(\.self).max())
            }
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
            // An uncertain write stays: a commit whose sync failed remains in the WAL, where the next program to open the
            // file finds it.
            if last > 0 { writes[device]?[key] = Array(list[last...]) }
        }
    }

    /// Returns whether the journal names a delete or an undelete as refused.
    func isRefused(_ write: LocalWrite) -> Bool { refusedWrites[write.device]?.contains(write.number) ?? false }

    /// Returns whether another device had undeleted the record with equal content, so that nothing was sent.
    func isAnswered(_ write: LocalWrite) -> Bool { answeredWrites[write.device]?.contains(write.number) ?? false }

    /// Removes writes that the device refused. Sealing refuses them in the transaction that sets their final stamp, which no
    /// view shows.
    private mutating func refused(_ key: RecordKey, put: [UInt8]?, _ device: Int, _ stamp: HybridTimestamp) {
        guard refusals[device, default: [:]][key, default: []].insert(stamp).inserted else { return }
        let kind: LocalWrite.Kind = put == nil ? .delete : .undelete
        for write in writes[device]?[key] ?? [] where write.kind == kind {
            refusedWrites[device, default: []].insert(write.number)
        }
        writes[device]?[key]?.removeAll { $0.kind == kind }
        if let put, put.count > OperationMaker.largeBytes { tooLarge += 1 }
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
            if let put = view.facts[write.key]?.put, stamps.contains(where: { put.stamp > $0 }) { return true }
            return hasLostGreater(than: stamps, of: write.key, device, ledger)
        case .delete: return isDeleteThere(write, view, journal, ledger)
        case .undelete: return isUndeleteThere(write, view, journal, ledger)
        }
    }

    /// Returns whether a change that the device knew had beaten its put, and a server restored from a backup has lost both.
    func hasLostGreater(
        than stamps: [HybridTimestamp], of key: RecordKey, _ device: Int, _ ledger: Ledger
    ) -> Bool {
        guard let known = known[device]?[key] else { return false }
        return ledger.isDeletedWithContent(key, stamps, by: known.delete)
            || ledger.isBeatenAndLost(key, stamps, by: known.put)
    }

    /// Returns whether a delete is pending, or a delete that is not older is confirmed or in the journal.
    private func isDeleteThere(
        _ write: LocalWrite, _ view: ReplicaView, _ journal: Journal, _ ledger: Ledger
    ) -> Bool {
        let (key, facts) = (write.key, view.facts[write.key])
        if view.outbox[key]?.delete != nil || ledger.isAboveLostDeletes(key, facts?.put?.stamp) { return true }
        guard let first = stamps.first(of: write) else {
            // The delete was never observed as pending: the file was lost or replaced before it was read.
            return facts?.delete != nil || journal.deletes[key] != nil || ledger.hasPurged(key)
        }
        if let delete = facts?.delete, delete.time >= first { return true }
        if journal.namesDelete(of: key, from: first) { return true }
        if journal.hasLostLater(than: stamps.last(of: write) ?? first, of: key) { return true }
        guard ledger.hasPurged(key) || ledger.purged[key] != nil else { return false }
        // The record had no slot left to be deleted, unless its earlier state is visible again.
        if view.rows[key]?.isVisible != true || ledger.hasLostWhatWasPurged(key) { return true }
        if let put = view.outbox[key]?.put, put > first { return true }
        return facts?.put.map { $0.stamp.time > first || ledger.isMadeAnew(key, $0) } ?? false
    }

    /// Returns whether another device has undeleted a record with equal content, so that an undelete here has nothing left to
    /// send. The record may still be hidden with a cascade parent.
    private static func isUndeletedElsewhere(_ key: RecordKey, _ view: ReplicaView) -> Bool {
        view.rows[key] != nil && view.outbox[key] == nil && view.facts[key]?.own == .put
            && view.facts[key]?.put?.stamp.replica != view.replica
    }

    /// Returns whether the put of an undelete is pending, or a put that is not older is confirmed, or the journal names the
    /// put.
    private func isUndeleteThere(
        _ write: LocalWrite, _ view: ReplicaView, _ journal: Journal, _ ledger: Ledger
    ) -> Bool {
        let (key, facts) = (write.key, view.facts[write.key])
        // The undelete only removed a pending delete, or its put was never observed.
        guard let first = stamps.first(of: write) else { return true }
        if view.outbox[key]?.put != nil { return true }
        if let put = facts?.put, put.stamp.time >= first { return true }
        if stamps.isNamed(write, in: journal.puts) { return true }
        // The identity under which the put was sent is unknown, so that the least one is assumed.
        let stamp = [HybridTimestamp(time: first, replica: .unregistered)]
        let last = HybridTimestamp(time: stamps.last(of: write) ?? first, replica: .unregistered)
        return ledger.hasPurged(key, stamp) || journal.hasLostLater(than: last.time, of: key)
            || ledger.isDeletedWithContent(key, [last], by: facts?.delete)
    }
}
