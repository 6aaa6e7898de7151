internal import RoostMerge
internal import RoostModel
internal import RoostProtocol

/// I18: a purge changes nothing that is visible. It takes only records that are old and known to every active replica, and no
/// purged record comes back.
struct PurgeChecker {
    private static let dayMilliseconds: UInt64 = 24 * 3600 * 1000

    private let rules: ReferenceRules
    private let horizonMilliseconds: UInt64
    /// The server's time of the last page sent to each device. Devices that may have lost that page have no entry.
    private var pulled: [Int: UInt64] = [:]
    /// The entries of ``pulled`` that the server has stored.
    private var noted: [Int: UInt64] = [:]
    /// Devices that were away for longer than the horizon when a purge ran, or whose file became older. The identifiers of
    /// the purged records may be gone before these devices return.
    private var expired: Set<Int> = []
    /// Devices whose file became older and that have not pulled since. The server still counts their earlier pulls.
    private var unheard: Set<Int> = []
    /// Copies of another device's file. They are not sent that device's pushes under the shared identity, and observe a purge
    /// of such a record by its identifier only.
    private var copies: Set<Int> = []
    /// The end of each device's last full pull. The server need not send it the identifiers of records purged before.
    private var beginnings: [Int: UInt64] = [:]
    /// Devices that have no checkpoint yet, or are in a full resynchronisation.
    private var beginning: Set<Int> = []
    /// The end of the last page sent to each device.
    private var given: [Int: UInt64] = [:]
    /// The identities under which each device has pushed.
    private var identities: [Int: Set<ReplicaID>] = [:]
    /// The end of the scope's recovery, in milliseconds since 1970.
    private var recoveringUntil: UInt64 = 0
    /// The last page sent to each device, if it has only identifiers of purged records.
    private var quietPages: [Int: QuietPage] = [:]

    init(_ rules: ReferenceRules, horizonDays: Int) {
        self.rules = rules
        horizonMilliseconds = UInt64(horizonDays) * Self.dayMilliseconds
    }

    // MARK: Pulls

    /// Records a page sent to a device.
    ///
    /// - Parameters:
    ///   - since: The device's checkpoint; `nil` for none.
    ///   - end: The sequence that the page ends with.
    ///   - isAwaited: Whether the device still waits for the page.
    ///   - isAhead: Whether the page was read ahead, which does not count as a pull at the server.
    mutating func gave(
        _ page: PullReply, since: [UInt8]?, end: UInt64, device: Int, isAwaited: Bool, isAhead: Bool, now: UInt64
    ) {
        if !isAhead { pulled[device] = now }
        guard isAwaited else { return }
        given[device] = end
        unheard.remove(device)
        quietPages[device] = nil
        guard let since else { return }
        if !isAhead { expired.remove(device) }
        quietPages[device] = QuietPage(page, since: since)
    }

    /// Handles a device's file that may be older than its last pull.
    mutating func wentBack(_ device: Int) {
        pulled[device] = nil
        noted[device] = nil
        expired.insert(device)
        unheard.insert(device)
    }

    /// Handles a copy of a file, which may be older than the last pull of the original.
    mutating func copied(to copy: Int) {
        copies.insert(copy)
        expired.insert(copy)
    }

    /// Handles the loss of the pulls that the server had not stored.
    mutating func serverDied() { pulled = noted }

    /// Returns whether a device's checkpoint may be older than the identifiers of purged records that the server still has.
    func mayBeTooOld(_ device: Int) -> Bool { expired.contains(device) }

    private func isAway(_ device: Int, now: UInt64) -> Bool {
        pulled[device].map { $0 + horizonMilliseconds < now } ?? true
    }

    // MARK: Restoring the server

    mutating func serverBeganAnew(now: UInt64) {
        recoveringUntil = now + UInt64(Limits().recoveringDays) * Self.dayMilliseconds
    }

    /// Handles the restore of the server from a backup.
    ///
    /// - Parameter copy: The state of this checker when the backup was taken.
    mutating func serverWentBack(to copy: PurgeChecker, devices: Int) {
        pulled = Dictionary(uniqueKeysWithValues: pulled.keys.compactMap { key in copy.noted[key].map { (key, $0) } })
        noted = pulled
        given = [:]
        recoveringUntil = copy.recoveringUntil
        expired.formUnion(0..<devices)
    }

    func isRecovering(now: UInt64) -> Bool { now < recoveringUntil }

    // MARK: At the server

    /// Checks a purge.
    ///
    /// - Parameters:
    ///   - names: The purged records, each with the sequence of the purge.
    ///   - ledger: The ledger, which still has the records.
    ///   - now: The server's time.
    ///   - truth: The latest time that the server may take for the true one.
    mutating func purged(
        _ names: [RecordKey: UInt64], _ ledger: Ledger, _ views: [(device: Int, view: ReplicaView)], now: UInt64,
        truth: UInt64
    ) throws {
        noted = pulled
        for (device, _) in views where isAway(device, now: now) { expired.insert(device) }
        guard !names.isEmpty else { return }
        if isRecovering(now: now) {
            throw Violation(.purge, "\(names.count) records were purged while the scope recovers")
        }
        for (key, _) in names {
            let slots = ledger.slots(of: key)
            let newest = max(slots.put?.stamp.milliseconds ?? 0, slots.delete?.milliseconds ?? 0)
            guard newest + horizonMilliseconds < min(now, truth) else {
                throw Violation(.purge, "\(key) was purged, and its newest change is behind no horizon")
            }
            for (device, view) in views
            where !isAway(device, now: now) && !copies.contains(device) && !unheard.contains(device)
                && !Self.knows(view, key, slots)
            {
                throw Violation(.purge, "\(key) was purged, and replica \(device), which comes, has not heard of it")
            }
        }
        try compare(ledger, without: names)
    }

    private static func knows(_ view: ReplicaView, _ key: RecordKey, _ slots: SlotStamps) -> Bool {
        // A replica that starts may have less of the record, or nothing. Its own pushes without a reply are pending in the
        // outbox.
        guard let held = view.facts[key], view.outbox[key] == nil, !view.isPullingAnew, !view.checkpoint.isEmpty else {
            return true
        }
        return (slots.put.map { put in held.put.map { $0.stamp >= put.stamp } ?? false } ?? true)
            && (slots.delete.map { delete in held.delete.map { $0 >= delete } ?? false } ?? true)
    }

    /// Checks that all visible records stay visible with equal references, and no other record becomes visible.
    private func compare(_ ledger: Ledger, without names: [RecordKey: UInt64]) throws {
        var facts: [RecordKey: RecordFacts] = [:]
        for (key, history) in ledger.records {
            var fact = RecordFacts(put: history.put()?.stamp, delete: history.delete())
            if let put = history.put() { fact.references = try Put(encoded: put.encoded).references }
            facts[key] = fact
        }
        let before = VisibleState(facts, rules: rules)
        let after = VisibleState(facts.filter { names[$0.key] == nil }, rules: rules)
        for (key, _) in facts {
            guard before.isVisible(key) == after.isVisible(key) else {
                throw Violation(
                    .purge,
                    "\(key) was \(before.isVisible(key) ? "visible" : "not visible") before a purge of \(names.count) "
                        + "records, and is otherwise after it")
            }
            guard before.isVisible(key) else { continue }
            for (left, right) in zip(before.references(of: key), after.references(of: key)) where left != right {
                throw Violation(.purge, "reference \(left.relationship) of \(key) reads otherwise after a purge")
            }
        }
    }

    /// Checks that an edit does not bring a purged record back, and that no purged content is sent again.
    ///
    /// - Parameter mayRepeat: Whether a replica may have resent its changes under another identity, or a program may have
    ///   given an old identifier to a row with equal content.
    func checkAccepted(_ change: Change, _ ledger: Ledger, mayRepeat: Bool, now: UInt64) throws {
        guard case .put(let encoded, let base) = change.kind, !ledger.purged.isEmpty, !isRecovering(now: now) else {
            return
        }
        if base != nil, ledger.records[change.key] == nil {
            throw Violation(
                .purge, "the edit \(change.stamp) of \(change.key), of which nothing is known, was accepted")
        }
        let hash = ContentHash(of: encoded)
        if base == nil, !mayRepeat, let list = ledger.purged[change.key],
            list.contains(where: { $0.history.puts.contains { $0.hash == hash } })
        {
            throw Violation(.purge, "\(change.key), which was purged, comes back as \(change.stamp)")
        }
    }

    /// Checks that a transaction refused as gone has an edit of a purged record.
    func checkGone(_ changes: [Change], _ ledger: Ledger) throws {
        guard !ledger.purged.isEmpty,
            changes.contains(where: { change in
                if case .put(_, base: .some) = change.kind { ledger.records[change.key] == nil } else { false }
            })
        else { throw Violation(.purge, "a transaction is refused as gone, and edits nothing that was purged") }
    }

    /// Checks that a page names every record that was purged between its ends, and no record that never was.
    ///
    /// - Parameter since: The sequence that the page follows; `nil` for a full pull.
    func check(_ page: PullReply, since: UInt64?, end: UInt64, _ ledger: Ledger) throws {
        let names = Set(page.purged)
        for key in names where ledger.purged[key] == nil {
            throw Violation(.purge, "a page names \(key), which was never purged")
        }
        guard let since else { return }
        for (key, list) in ledger.purged where !names.contains(key) {
            guard let missed = list.first(where: { $0.sequence > since && $0.sequence <= end }) else { continue }
            throw Violation(
                .purge, "the page \(since)…\(end) does not name \(key), purged at \(missed.sequence)")
        }
    }

    // MARK: On the devices

    /// Records the position of a replica.
    ///
    /// - Parameter complete: The sequence up to which the replica has all changes, if it is known.
    mutating func stands(_ view: ReplicaView, device: Int, complete: UInt64?) {
        identities[device, default: []].insert(view.replica)
        if view.checkpoint.isEmpty || view.isPullingAnew {
            beginning.insert(device)
        } else if let complete, beginning.remove(device) != nil {
            beginnings[device] = complete
        }
    }

    /// Checks a replica.
    ///
    /// - Parameters:
    ///   - before: The replica's previous view.
    ///   - complete: The sequence up to which the replica has all changes; `nil` also after a restore of the server, when
    ///     replicas keep records that they may bring back.
    func check(
        _ view: ReplicaView, after before: ReplicaView, device: Int, complete: UInt64?, _ ledger: Ledger
    ) throws {
        if let complete {
            for (key, list) in ledger.purged {
                guard let held = view.facts[key] else { continue }
                // While the scope recovered, a replica that did not know of the purge may have brought the record back.
                for purged in list where purged.sequence <= complete && held != ledger.slots(of: key) {
                    guard Self.holds(held, purged, by: nil), !mayHold(held, purged, view, device: device) else {
                        continue
                    }
                    throw Violation(
                        .purge,
                        "replica \(device) is complete up to sequence \(complete) and confirms what was purged of \(key) at "
                            + "\(purged.sequence)")
                }
            }
        }
        guard let page = quietPages[device], page.isAll(between: before, and: view),
            ConvergenceChecker.dump(view) != ConvergenceChecker.dump(before)
        else { return }
        guard try page.mayChangeRows(of: before, ledger, rules) else {
            throw Violation(.purge, "replica \(device) shows something else after it has heard of a purge")
        }
    }

    /// Returns whether a replica confirms an own push whose confirmation it received only after the purge: its first page
    /// never came, or the reply to its push came late. Only the digest reveals it.
    func explainsDifference(of view: ReplicaView, device: Int, _ ledger: Ledger) -> Bool {
        ledger.purged.contains { key, list in
            guard let held = view.facts[key] else { return false }
            return list.contains { mayHold(held, $0, view, device: device) }
        }
    }

    /// Returns whether a replica may still hold a purged record: one that it pushed itself; under a former identity, only one
    /// purged before the end of its full pull.
    private func mayHold(_ held: SlotStamps, _ purged: Ledger.Purged, _ view: ReplicaView, device: Int) -> Bool {
        if Self.holds(held, purged, by: [view.replica]) { return true }
        // The page that ends the first pull may reveal the difference by its digest. A full resynchronisation then starts
        // before the end of the pull is observed.
        let upTo = max(beginnings[device] ?? 0, beginning.contains(device) ? given[device] ?? 0 : 0)
        return purged.sequence <= upTo && Self.holds(held, purged, by: identities[device] ?? [])
    }

    /// Returns whether slots have a purged put or delete.
    ///
    /// - Parameter replicas: The replicas whose slots count; `nil` for all.
    private static func holds(_ held: SlotStamps, _ purged: Ledger.Purged, by replicas: Set<ReplicaID>?) -> Bool {
        func isOf(_ stamp: HybridTimestamp) -> Bool { replicas?.contains(stamp.replica) ?? true }
        if let put = held.put?.stamp, isOf(put), purged.history.puts.contains(where: { $0.stamp == put }) {
            return true
        }
        return held.delete.map { delete in
            isOf(delete) && purged.history.deletes.contains { $0.stamp == delete }
        } ?? false
    }
}
