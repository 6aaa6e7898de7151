internal import RoostModel

/// I13: nothing is lost silently. In the end every write is current, beaten by an edit that knew it, or in its author's
/// journal as beaten or refused.
struct AccountingChecker {
    private var writes: [LocalWrite] = []
    /// The accepted stamps of the write with a marker. There are several after a renewal.
    private(set) var stamps: [String: [HybridTimestamp]] = [:]
    private var writers: [String: LocalWrite] = [:]

    mutating func wrote(_ write: LocalWrite) {
        writes.append(write)
        if case .put(let marker) = write.kind { writers[marker] = write }
    }

    func write(with marker: String) -> LocalWrite? { writers[marker] }

    mutating func accepted(_ marker: String, _ stamp: HybridTimestamp) {
        if !(stamps[marker]?.contains(stamp) ?? false) { stamps[marker, default: []].append(stamp) }
    }

    /// Marks the writes of a device as uncertain: a crash or a restore may have taken some of them, or their journal entries,
    /// or no server has them any more.
    mutating func mayHaveLost(_ device: Int) {
        for place in writes.indices where writes[place].device == device {
            writes[place].isCertain = false
        }
    }

    /// Checks all writes.
    ///
    /// - Parameters:
    ///   - own: The journals of all devices, with the outcomes of their own writes.
    ///   - isHidden: Returns whether the replicas hold a record without showing it.
    func check(
        _ ledger: Ledger, _ own: OwnWritesChecker, _ counts: inout Counts, isHidden: (RecordKey) -> Bool
    ) throws {
        let journals = own.journals
        for (place, write) in writes.enumerated() {
            counts[.written] += 1
            let journal = journals[write.device] ?? .init()
            let later = writes[(place + 1)...].first { $0.device == write.device && $0.key == write.key }
            switch write.kind {
            case .put(let marker):
                if let stamps = stamps[marker] {
                    if let slots = ledger.records[write.key]?.slots, let put = slots.put?.stamp, stamps.contains(put),
                        slots.delete.map({ $0 < put }) ?? true, isHidden(write.key)
                    {
                        counts[.hidden] += 1
                    }
                    if write.isCertain,
                        try !isAccountedFor(stamps, marker, write, ledger, own, hasLater: later != nil, &counts)
                    {
                        throw Violation(
                            .accounting,
                            "write \(write.number) of \(write.key) by replica \(write.device) was accepted as \(stamps), is "
                                + "not current, and its author's journal does not say so")
                    }
                } else if journal.markers.contains(marker) {
                    counts[.refused] += 1
                } else if write.isCertain, later == nil {
                    throw Violation(
                        .accounting,
                        "write \(write.number) of \(write.key) by replica \(write.device) is neither on the server nor in its "
                            + "author's journal")
                } else if later == nil {
                    counts[.lost] += 1
                }
            case .delete, .undelete:
                if own.stamps.isNamed(write, in: write.kind == .delete ? journal.deletes : journal.puts) {
                    counts[.beaten] += 1
                }
                guard write.isCertain, later == nil, !own.isRefused(write), !own.isAnswered(write),
                    !isKnown(write, ledger, journal, own.stamps)
                else { continue }
                throw Violation(
                    .accounting,
                    "\(write.kind) \(write.number) of \(write.key) by replica \(write.device) is neither on the server nor in "
                        + "its author's journal")
            }
        }
    }

    /// Returns whether the outcome of a delete or undelete is known, if no other write of its device followed it.
    private func isKnown(
        _ write: LocalWrite, _ ledger: Ledger, _ journal: OwnWritesChecker.Journal, _ stamps: WrittenStamps
    ) -> Bool {
        let ends = ledger.ends(of: write.key)
        // No slot of the record is left.
        if ledger.slots(of: write.key) == SlotStamps() { return true }
        let put = ledger.slots(of: write.key).put?.stamp
        let first = stamps.first(of: write)
        guard write.kind == .delete else {
            guard let first else { return true }
            if ends.contains(where: { $0.puts.contains { $0.stamp.time >= first } }) { return true }
            // The undelete was sent again after a refusal, and another device had undeleted the record meanwhile.
            if ledger.isUndeleted(write.key) { return true }
            let last = HybridTimestamp(time: stamps.last(of: write) ?? first, replica: .unregistered)
            return stamps.isNamed(write, in: journal.puts) || journal.hasLostLater(than: last.time, of: write.key)
                || ledger.isDeletedWithContent(write.key, [last], by: ledger.slots(of: write.key).delete)
        }
        if ledger.isAboveLostDeletes(write.key, put) { return true }
        guard let first else {
            return ends.contains { !$0.deletes.isEmpty } || journal.deletes[write.key] != nil
        }
        // A purged record has no slot left to be deleted. Its current put was made later.
        if ledger.hasPurged(write.key), let put, put.time > stamps.last(of: write) ?? first { return true }
        return ends.contains { $0.deletes.contains { $0.stamp.time >= first } }
            || journal.namesDelete(of: write.key, from: first)
            || journal.hasLostLater(than: stamps.last(of: write) ?? first, of: write.key)
    }

    private func isAccountedFor(
        _ stamps: [HybridTimestamp], _ marker: String, _ write: LocalWrite, _ ledger: Ledger,
        _ own: OwnWritesChecker, hasLater: Bool, _ counts: inout Counts
    ) throws -> Bool {
        let journals = own.journals
        let journal = journals[write.device] ?? .init()
        if let current = ledger.records[write.key]?.put()?.stamp, stamps.contains(current) { return true }
        // A device that was away during a purge is not notified whether its write had been beaten before.
        if ledger.hasPurged(write.key, stamps) { return true }
        if ledger.isDeletedWithContent(write.key, stamps, by: ledger.slots(of: write.key).delete) { return true }
        if journal.markers.contains(marker) {
            counts[.beaten] += 1
            return true
        }
        if hasLater || journal.hasLostLater(than: stamps, of: write.key) { return true }
        if own.hasLostGreater(than: stamps, of: write.key, write.device, ledger) { return true }
        return try ledger.isFollowed(write.key, stamps) { encoded in
            let marker = try Expected(encoded).text
            // A device that is no longer used cannot report it either.
            return journals.values.contains { $0.markers.contains(marker) }
                || writes.contains { $0.kind == .put(marker: marker) && !$0.isCertain }
        }
    }
}
