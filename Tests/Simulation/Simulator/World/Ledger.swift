internal import RoostModel

/// Every change that the server accepted, kept outside of the server. The oracle computes from it.
package struct Ledger: Sendable {
    struct Put: Hashable, Sendable {
        var stamp: HybridTimestamp
        var hash: ContentHash
        var base: HybridTimestamp?
        var encoded: [UInt8]
        /// The sequence under which the put was accepted.
        var sequence: UInt64
    }

    struct Delete: Hashable, Sendable {
        var stamp: HybridTimestamp
        var sequence: UInt64
    }

    /// The accepted puts and deletes of one record.
    struct History: Hashable, Sendable {
        var puts: [Put] = []
        var deletes: [Delete] = []

        /// Returns the winner, by stamp and then by content hash. This repeats the rule independently of the code that it
        /// checks.
        func put(upTo sequence: UInt64 = .max) -> Put? {
            puts.filter { $0.sequence <= sequence }.max { left, right in
                left.stamp == right.stamp ? left.hash < right.hash : left.stamp < right.stamp
            }
        }

        func delete(upTo sequence: UInt64 = .max) -> HybridTimestamp? {
            deletes.filter { $0.sequence <= sequence }.map(\.stamp).max()
        }
    }

    /// A record's history that ended with a purge.
    struct Purged: Hashable, Sendable {
        var history: History
        /// The sequence of the purge.
        var sequence: UInt64
    }

    /// Changes that the server's present history has accepted and not purged.
    private(set) var records: [RecordKey: History] = [:]
    /// Changes that any of the server's histories has accepted: more than ``records`` after a restore from a backup.
    private var ever: [RecordKey: History] = [:]
    /// Stamps that a server lost in a restore, including those that came back.
    private var lost: [RecordKey: Set<HybridTimestamp>] = [:]
    /// Records that the server's present history has purged, oldest purge first.
    private(set) var purged: [RecordKey: [Purged]] = [:]
    /// Records that any of the server's histories has purged.
    private var everPurged: [RecordKey: [History]] = [:]

    /// - Returns: Whether the change was new to the present history.
    @discardableResult
    mutating func accept(_ change: Change, sequence: UInt64) -> Bool {
        _ = ever[change.key, default: History()].add(change, sequence: sequence)
        return records[change.key, default: History()].add(change, sequence: sequence)
    }

    /// Returns the content of a put that was ever accepted.
    func content(_ key: RecordKey, _ put: SlotStamps.PutStamp) -> [UInt8]? {
        ever[key]?.puts.first { $0.stamp == put.stamp && $0.hash == put.hash }?.encoded
    }

    /// Returns the contents of all puts of a record that were ever accepted.
    func everAccepted(_ key: RecordKey) -> [[UInt8]] { ever[key]?.puts.map(\.encoded) ?? [] }

    /// Returns the content that was accepted under a stamp.
    func content(_ key: RecordKey, at stamp: HybridTimestamp) -> [UInt8]? {
        ever[key]?.puts.first { $0.stamp == stamp }?.encoded
    }

    /// Returns whether a delete later than a put was ever accepted.
    func everDeleted(_ key: RecordKey, after put: HybridTimestamp) -> Bool {
        ever[key]?.deletes.contains { $0.stamp > put } ?? false
    }

    func hasDelete(_ key: RecordKey, _ stamp: HybridTimestamp) -> Bool {
        ever[key]?.deletes.contains { $0.stamp == stamp } ?? false
    }

    func wasAccepted(_ change: Change) -> Bool {
        switch change.kind {
        case .put(let encoded, _):
            content(change.key, .init(stamp: change.stamp, hash: ContentHash(of: encoded))) != nil
        case .delete: hasDelete(change.key, change.stamp)
        }
    }

    /// Returns the slots that the server must have; with `withPurged`, those that it would have without purges.
    func slots(of key: RecordKey, withPurged: Bool = false) -> SlotStamps {
        var history = records[key] ?? History()
        if withPurged {
            for purged in purged[key] ?? [] {
                history.puts += purged.history.puts
                history.deletes += purged.history.deletes
            }
        }
        return history.slots
    }

    /// Returns whether the server has an edit made from one of these puts, directly or through other edits, or a journal
    /// reports such an edit as beaten or lost. A change that is brought back has no base; its first acceptance had it.
    func isFollowed(
        _ key: RecordKey, _ stamps: [HybridTimestamp], isJournaled: ([UInt8]) throws -> Bool
    ) rethrows -> Bool {
        let present = ends(of: key)
        var known = Set(stamps)
        for put in (ever[key]?.puts ?? []).sorted(by: { $0.stamp < $1.stamp }) {
            guard let base = put.base, known.contains(base) else { continue }
            // A renewed replica sends equal content under another stamp.
            if present.contains(where: { $0.puts.contains { $0.hash == put.hash } }) { return true }
            if try isJournaled(put.encoded) { return true }
            known.insert(put.stamp)
        }
        return false
    }

    // MARK: Restoring the server

    /// Restores the ledger to the state of a backup.
    ///
    /// - Returns: The number of puts and deletes that the server lost.
    mutating func goBack(to copy: Ledger) -> Int {
        var count = 0
        for (key, history) in records {
            let kept = copy.records[key]?.stamps ?? []
            let gone = history.stamps.subtracting(kept)
            lost[key, default: []].formUnion(gone)
            count += gone.count
        }
        // Records accepted and purged since the backup are lost too.
        for (key, ends) in purged where copy.purged[key]?.count != ends.count {
            let kept = copy.records[key]?.stamps ?? []
            for end in ends { lost[key, default: []].formUnion(end.history.stamps.subtracting(kept)) }
        }
        records = copy.records
        purged = copy.purged
        return count
    }

    /// Returns whether a server lost one of these slots.
    func hasLost(_ slots: SlotStamps, of key: RecordKey) -> Bool {
        guard let lost = lost[key] else { return false }
        return (slots.put.map { lost.contains($0.stamp) } ?? false) || (slots.delete.map { lost.contains($0) } ?? false)
    }

    /// Returns whether a replica lacks the server's state of a record of which the server has lost a later change. A replica
    /// that was between two pages is not sent the record any more: the later change had moved it behind the page, and the
    /// restore moved it back before it.
    func hasMovedBack(_ key: RecordKey, lackedBy held: SlotStamps?) -> Bool {
        guard let lost = lost[key], !lost.isEmpty else { return false }
        return slots(of: key) != held ?? SlotStamps()
    }

    /// Returns whether a put is later than every delete of its record, one of which a restored server has lost. No replica
    /// needs to keep those deletes.
    func isAboveLostDeletes(_ key: RecordKey, _ put: HybridTimestamp?) -> Bool {
        guard let put, let lost = lost[key], let deletes = ever[key]?.deletes.map(\.stamp) else { return false }
        return deletes.contains { lost.contains($0) } && deletes.allSatisfy { $0 < put }
    }

    /// Returns whether a server has purged the slots. A page in transit may then report the purge to a replica that holds
    /// them.
    func hasEverPurged(_ slots: SlotStamps, of key: RecordKey) -> Bool {
        everPurged[key]?.contains { $0.slots == slots } ?? false
    }

    /// Returns whether the server has slots again that it had purged: it was restored to a time before, and a replica was
    /// notified of the purge.
    func hasAgain(_ key: RecordKey, lackedBy held: SlotStamps?) -> Bool {
        guard let now = records[key]?.slots, let gone = everPurged[key] else { return false }
        return gone.contains { gone in
            (now.put != held?.put && now.put.map { gone.stamps.contains($0.stamp) } ?? false)
                || (now.delete != held?.delete && now.delete.map { gone.stamps.contains($0) } ?? false)
        }
    }

    // MARK: Purging

    /// Moves records to the purged ones.
    mutating func purge(_ names: [RecordKey: UInt64]) {
        for (key, sequence) in names {
            guard let history = records.removeValue(forKey: key) else { continue }
            purged[key, default: []].append(.init(history: history, sequence: sequence))
            everPurged[key, default: []].append(history)
        }
    }

    /// Returns the histories of a record: the present one, and the purged ones.
    func ends(of key: RecordKey) -> [History] { (records[key].map { [$0] } ?? []) + (everPurged[key] ?? []) }

    /// Returns whether a record again has the content of before a delete. Another undelete of that content has nothing to
    /// add.
    func isUndeleted(_ key: RecordKey) -> Bool {
        guard let history = records[key], history.slots.own == .put, let put = history.put() else { return false }
        return history.puts.contains { earlier in
            earlier.encoded == put.encoded
                && history.deletes.contains { earlier.stamp < $0.stamp && $0.stamp < put.stamp }
        }
    }

    /// Returns whether a later delete supersedes one of these puts, and its content need not exist any more: a restored
    /// server has lost it, or did not accept it again because it had purged the record.
    func isDeletedWithContent(_ key: RecordKey, _ stamps: [HybridTimestamp], by delete: HybridTimestamp?) -> Bool {
        guard let delete else { return false }
        return stamps.contains { $0 < delete && (everPurged[key] != nil || lost[key]?.contains($0) ?? false) }
    }

    /// Returns whether a later put had beaten one of these, and a restored server has lost both.
    func isBeatenAndLost(_ key: RecordKey, _ stamps: [HybridTimestamp], by put: HybridTimestamp?) -> Bool {
        guard let put, let lost = lost[key], lost.contains(put) else { return false }
        return stamps.contains { $0 < put && lost.contains($0) }
    }

    /// Returns whether a put was accepted after the record had been purged. It then belongs to a new record with an old
    /// identifier, and its stamp need not be later than those purged.
    func isMadeAnew(_ key: RecordKey, _ put: SlotStamps.PutStamp) -> Bool {
        let purged = purged[key] ?? []
        // The put may have been purged itself meanwhile.
        let puts = (records[key]?.puts ?? []) + purged.flatMap(\.history.puts)
        guard let first = puts.first(where: { $0.stamp == put.stamp }) else { return false }
        return purged.contains { $0.sequence < first.sequence }
    }

    /// Returns whether a restored server has lost changes that had already been purged. No replica holds them any more, and
    /// the records that they deleted are visible again.
    func hasLostWhatWasPurged(_ key: RecordKey) -> Bool {
        guard let lost = lost[key] else { return false }
        return (everPurged[key] ?? []).contains { !lost.isDisjoint(with: $0.stamps) }
    }

    /// Returns whether a history purged the record together with a delete. With `stamps`, whether it purged a put that is not
    /// older than one of them; or a later delete, if a restored server had lost the put.
    func hasPurged(_ key: RecordKey, _ stamps: [HybridTimestamp]? = nil) -> Bool {
        (everPurged[key] ?? []).contains { history in
            guard let stamps else { return !history.deletes.isEmpty }
            guard let last = [history.put()?.stamp, history.delete()].compactMap(\.self).max() else { return false }
            return stamps.contains { $0 <= last }
        }
    }
}

extension Ledger.History {
    var slots: SlotStamps {
        SlotStamps(put: put().map { .init(stamp: $0.stamp, hash: $0.hash) }, delete: delete())
    }

    var stamps: Set<HybridTimestamp> { Set(puts.map(\.stamp) + deletes.map(\.stamp)) }

    /// - Returns: Whether the change was new.
    mutating func add(_ change: Change, sequence: UInt64) -> Bool {
        switch change.kind {
        case .put(let encoded, let base):
            let hash = ContentHash(of: encoded)
            guard !puts.contains(where: { $0.stamp == change.stamp && $0.hash == hash }) else { return false }
            puts.append(
                .init(stamp: change.stamp, hash: hash, base: base, encoded: encoded, sequence: sequence))
        case .delete:
            guard !deletes.contains(where: { $0.stamp == change.stamp }) else { return false }
            deletes.append(.init(stamp: change.stamp, sequence: sequence))
        }
        return true
    }
}
