internal import RoostModel

/// Every change that the server accepted, kept outside the server: what the oracle computes from.
package struct Ledger: Sendable {
    struct Put: Hashable, Sendable {
        var stamp: HybridTimestamp
        var hash: ContentHash
        var base: HybridTimestamp?
        var encoded: [UInt8]
        /// The sequence under which it was accepted.
        var sequence: UInt64
    }

    struct Delete: Hashable, Sendable {
        var stamp: HybridTimestamp
        var sequence: UInt64
    }

    /// What is known of one record.
    struct History: Hashable, Sendable {
        var puts: [Put] = []
        var deletes: [Delete] = []

        /// The winner, by stamp and then by content hash; written down here once more, apart from the code it checks.
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

    /// What the server's present history accepted, and has not purged.
    private(set) var records: [RecordKey: History] = [:]
    /// What any of its histories accepted; more than ``records`` once the server was put back to an older copy.
    private var ever: [RecordKey: History] = [:]
    /// Stamps that a server lost by being put back, whether or not they came again.
    private var lost: [RecordKey: Set<HybridTimestamp>] = [:]
    /// What the server's present history has purged, oldest first.
    private(set) var purged: [RecordKey: [Purged]] = [:]
    /// What any of its histories has purged.
    private var everPurged: [RecordKey: [History]] = [:]

    /// - Returns: Whether the present history did not have it.
    @discardableResult
    mutating func accept(_ change: Change, sequence: UInt64) -> Bool {
        _ = ever[change.key, default: History()].add(change, sequence: sequence)
        return records[change.key, default: History()].add(change, sequence: sequence)
    }

    /// The content of a put that was accepted once.
    func content(_ key: RecordKey, _ put: SlotStamps.PutStamp) -> [UInt8]? {
        ever[key]?.puts.first { $0.stamp == put.stamp && $0.hash == put.hash }?.encoded
    }

    /// The contents of all puts of a record that were accepted once.
    func everAccepted(_ key: RecordKey) -> [[UInt8]] { ever[key]?.puts.map(\.encoded) ?? [] }

    /// The content that was accepted under a stamp.
    func content(_ key: RecordKey, at stamp: HybridTimestamp) -> [UInt8]? {
        ever[key]?.puts.first { $0.stamp == stamp }?.encoded
    }

    /// Whether a delete later than a put was accepted once.
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

    /// The slots that the server must have; with what it has purged, those that it would have otherwise.
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

    /// Whether the server has an edit that was made from one of these puts, or from an edit of that, and so on; or somebody
    /// was told that such an edit was beaten or lost. What is brought back says no more what it was made from; what was
    /// accepted first did.
    func isFollowed(
        _ key: RecordKey, _ stamps: [HybridTimestamp], isJournaled: ([UInt8]) throws -> Bool
    ) rethrows -> Bool {
        let present = ends(of: key)
        var known = Set(stamps)
        for put in (ever[key]?.puts ?? []).sorted(by: { $0.stamp < $1.stamp }) {
            guard let base = put.base, known.contains(base) else { continue }
            // A renewed replica sends the same content under another stamp.
            if present.contains(where: { $0.puts.contains { $0.hash == put.hash } }) { return true }
            if try isJournaled(put.encoded) { return true }
            known.insert(put.stamp)
        }
        return false
    }

    // MARK: A server that is put back

    /// The server has again what it had at the time of a copy, and nothing else.
    ///
    /// - Returns: How many puts and deletes it lost.
    mutating func goBack(to copy: Ledger) -> Int {
        var count = 0
        for (key, history) in records {
            let kept = copy.records[key]?.stamps ?? []
            let gone = history.stamps.subtracting(kept)
            lost[key, default: []].formUnion(gone)
            count += gone.count
        }
        // What was purged since had come since, and is not there either.
        for (key, ends) in purged where copy.purged[key]?.count != ends.count {
            let kept = copy.records[key]?.stamps ?? []
            for end in ends { lost[key, default: []].formUnion(end.history.stamps.subtracting(kept)) }
        }
        records = copy.records
        purged = copy.purged
        return count
    }

    /// Whether some server lost one of these slots.
    func hasLost(_ slots: SlotStamps, of key: RecordKey) -> Bool {
        guard let lost = lost[key] else { return false }
        return (slots.put.map { lost.contains($0.stamp) } ?? false) || (slots.delete.map { lost.contains($0) } ?? false)
    }

    /// Whether a replica lacks what the server has of a record of which it has lost a later change: who stood between two pages then is
    /// not sent it any more, for that change had moved it behind the page, and it has gone back before it.
    func hasMovedBack(_ key: RecordKey, lackedBy held: SlotStamps?) -> Bool {
        guard let lost = lost[key], !lost.isEmpty else { return false }
        return slots(of: key) != held ?? SlotStamps()
    }

    /// Whether a put is later than every delete of its record, where a server that was put back has lost one of them: nobody needs
    /// to keep those.
    func isAboveLostDeletes(_ key: RecordKey, _ put: HybridTimestamp?) -> Bool {
        guard let put, let lost = lost[key], let deletes = ever[key]?.deletes.map(\.stamp) else { return false }
        return deletes.contains { lost.contains($0) } && deletes.allSatisfy { $0 < put }
    }

    /// Whether some server has purged them: a page that is still under way may say so to a replica that holds them.
    func hasEverPurged(_ slots: SlotStamps, of key: RecordKey) -> Bool {
        everPurged[key]?.contains { $0.slots == slots } ?? false
    }

    /// Whether the server has again what it had purged: it was put back to before that, and a replica was told of the purge.
    func hasAgain(_ key: RecordKey, lackedBy held: SlotStamps?) -> Bool {
        guard let now = records[key]?.slots, let gone = everPurged[key] else { return false }
        return gone.contains { gone in
            (now.put != held?.put && now.put.map { gone.stamps.contains($0.stamp) } ?? false)
                || (now.delete != held?.delete && now.delete.map { gone.stamps.contains($0) } ?? false)
        }
    }

    // MARK: Purging

    /// The server has forgotten these records.
    mutating func purge(_ names: [RecordKey: UInt64]) {
        for (key, sequence) in names {
            guard let history = records.removeValue(forKey: key) else { continue }
            purged[key, default: []].append(.init(history: history, sequence: sequence))
            everPurged[key, default: []].append(history)
        }
    }

    /// What became of a record: what is there of it, and what was purged.
    func ends(of key: RecordKey) -> [History] { (records[key].map { [$0] } ?? []) + (everPurged[key] ?? []) }

    /// Whether a record shows again what it held before a delete: another undelete of the same content has nothing to add.
    func isUndeleted(_ key: RecordKey) -> Bool {
        guard let history = records[key], history.slots.own == .put, let put = history.put() else { return false }
        return history.puts.contains { earlier in
            earlier.encoded == put.encoded
                && history.deletes.contains { earlier.stamp < $0.stamp && $0.stamp < put.stamp }
        }
    }

    /// Whether a later delete stands over one of these puts, and its content need not be anywhere any more: a server that was put
    /// back has lost it, or did not take it back because it had purged the record.
    func isDeletedWithContent(_ key: RecordKey, _ stamps: [HybridTimestamp], by delete: HybridTimestamp?) -> Bool {
        guard let delete else { return false }
        return stamps.contains { $0 < delete && (everPurged[key] != nil || lost[key]?.contains($0) ?? false) }
    }

    /// Whether a later put had beaten one of these, and a server that was put back has lost both.
    func isBeatenAndLost(_ key: RecordKey, _ stamps: [HybridTimestamp], by put: HybridTimestamp?) -> Bool {
        guard let put, let lost = lost[key], lost.contains(put) else { return false }
        return stamps.contains { $0 < put && lost.contains($0) }
    }

    /// Whether a put came after the record had been purged: it is another one under the same identifier, and its stamp need not be
    /// later than what was purged.
    func isMadeAnew(_ key: RecordKey, _ put: SlotStamps.PutStamp) -> Bool {
        let purged = purged[key] ?? []
        // It may be purged itself by now.
        let puts = (records[key]?.puts ?? []) + purged.flatMap(\.history.puts)
        guard let first = puts.first(where: { $0.stamp == put.stamp }) else { return false }
        return purged.contains { $0.sequence < first.sequence }
    }

    /// Whether a server that was put back has lost what had been purged already: nobody holds it any more, and what was deleted
    /// by it shows again.
    func hasLostWhatWasPurged(_ key: RecordKey) -> Bool {
        guard let lost = lost[key] else { return false }
        return (everPurged[key] ?? []).contains { !lost.isDisjoint(with: $0.stamps) }
    }

    /// Whether some history purged a record with a delete of it; or with a put that is not older than any of these, or a later
    /// delete, where a server that was put back had lost the put.
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

    /// - Returns: Whether it was not there.
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
