internal import RoostMerge
internal import RoostModel
internal import RoostProtocol

/// I18: purging changes nothing that is visible, takes only what is old and known to every replica that still comes, and
/// nothing that was purged comes back.
struct PurgeChecker {
    private static let dayMilliseconds: UInt64 = 24 * 3600 * 1000

    private let rules: ReferenceRules
    private let horizonMilliseconds: UInt64
    /// When each device was last given a page, by the server's clock; those that may have forgotten it are not in it.
    private var pulled: [Int: UInt64] = [:]
    /// The same as far as the server has written it down.
    private var noted: [Int: UInt64] = [:]
    /// Devices that were away for longer than the horizon when a purge ran, or whose file went back: the names of what was
    /// purged may be gone before they come.
    private var expired: Set<Int> = []
    /// Devices whose file went back, and that the server has not heard of since: it counts them by what they had heard before.
    private var unheard: Set<Int> = []
    /// Copies of another device's file. They are not sent what that one pushed under the identity that both had, and hear of a purge
    /// of it by its name.
    private var copies: Set<Int> = []
    /// Where each device's last pull of everything ended: it may not be told the names of what was purged before.
    private var beginnings: [Int: UInt64] = [:]
    /// Devices that have nothing yet, or pull everything anew.
    private var beginning: Set<Int> = []
    /// Where the last page that each device was given ended.
    private var given: [Int: UInt64] = [:]
    /// Under which each device has pushed.
    private var identities: [Int: Set<ReplicaID>] = [:]
    /// Milliseconds since 1970 until which the scope recovers.
    private var recoveringUntil: UInt64 = 0
    /// The last page that each device was given, if it brings nothing but names of purged records.
    private var quietPages: [Int: QuietPage] = [:]

    init(_ rules: ReferenceRules, horizonDays: Int) {
        self.rules = rules
        horizonMilliseconds = UInt64(horizonDays) * Self.dayMilliseconds
    }

    // MARK: Who comes

    /// A device was given a page.
    ///
    /// - Parameters:
    ///   - since: Its checkpoint; `nil` for none.
    ///   - end: The sequence that the page ends with.
    ///   - isAwaited: Whether the device still waits for it.
    ///   - isAhead: Whether it was asked for ahead, which tells the server nothing.
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

    /// The device's file may be older than its last pull showed it to be.
    mutating func wentBack(_ device: Int) {
        pulled[device] = nil
        noted[device] = nil
        expired.insert(device)
        unheard.insert(device)
    }

    /// A file that may be older than the last pull of the one that it is a copy of.
    mutating func copied(to copy: Int) {
        copies.insert(copy)
        expired.insert(copy)
    }

    /// The server has lost what it had not written down.
    mutating func serverDied() { pulled = noted }

    /// Whether a device's checkpoint may be older than what is still known of purges.
    func mayBeTooOld(_ device: Int) -> Bool { expired.contains(device) }

    private func isAway(_ device: Int, now: UInt64) -> Bool {
        pulled[device].map { $0 + horizonMilliseconds < now } ?? true
    }

    // MARK: A server that was put back

    mutating func serverBeganAnew(now: UInt64) {
        recoveringUntil = now + UInt64(Limits().recoveringDays) * Self.dayMilliseconds
    }

    /// - Parameter copy: What was known when the copy was taken.
    mutating func serverWentBack(to copy: PurgeChecker, devices: Int) {
        pulled = Dictionary(uniqueKeysWithValues: pulled.keys.compactMap { key in copy.noted[key].map { (key, $0) } })
        noted = pulled
        given = [:]
        recoveringUntil = copy.recoveringUntil
        expired.formUnion(0..<devices)
    }

    func isRecovering(now: UInt64) -> Bool { now < recoveringUntil }

    // MARK: At the server

    /// What a purge took.
    ///
    /// - Parameters:
    ///   - names: The records, each with the sequence of the purge.
    ///   - ledger: Still has them.
    ///   - now: What the server's clock says.
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
        // One that begins may have less of it, but nothing. What it pushed itself and has not heard of waits.
        guard let held = view.facts[key], view.outbox[key] == nil, !view.isPullingAnew, !view.checkpoint.isEmpty else {
            return true
        }
        return (slots.put.map { put in held.put.map { $0.stamp >= put.stamp } ?? false } ?? true)
            && (slots.delete.map { delete in held.delete.map { $0 >= delete } ?? false } ?? true)
    }

    /// What was visible is, with the same references, and nothing else.
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

    /// Neither an edit of a record that is not there any more brings it back, nor is what was purged sent again.
    ///
    /// - Parameter mayRepeat: Whether a replica may have sent its changes once more under another identity, or a program may have given an
    ///   old identifier to a row of the same content.
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

    /// Only a transaction with such an edit is refused so.
    func checkGone(_ changes: [Change], _ ledger: Ledger) throws {
        guard !ledger.purged.isEmpty,
            changes.contains(where: { change in
                if case .put(_, base: .some) = change.kind { ledger.records[change.key] == nil } else { false }
            })
        else { throw Violation(.purge, "a transaction is refused as gone, and edits nothing that was purged") }
    }

    /// A page names all that was purged between its ends, and nothing that never was.
    ///
    /// - Parameter since: The sequence that the page follows; `nil` for a pull of everything.
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

    /// - Parameter complete: The sequence up to which the replica has everything, if that is known.
    mutating func stands(_ view: ReplicaView, device: Int, complete: UInt64?) {
        identities[device, default: []].insert(view.replica)
        if view.checkpoint.isEmpty || view.isPullingAnew {
            beginning.insert(device)
        } else if let complete, beginning.remove(device) != nil {
            beginnings[device] = complete
        }
    }

    /// - Parameters:
    ///   - before: What was there when it was looked at last.
    ///   - complete: The sequence up to which the replica has everything; `nil` also where a server was put back, after which
    ///     replicas keep what they may bring back.
    func check(
        _ view: ReplicaView, after before: ReplicaView, device: Int, complete: UInt64?, _ ledger: Ledger
    ) throws {
        if let complete {
            for (key, list) in ledger.purged {
                guard let held = view.facts[key] else { continue }
                // While the scope recovered, a replica that had not heard of the purge may have brought it back.
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

    /// Whether a replica confirms what it pushed itself and has heard of only after it was purged: its first page never came,
    /// or the reply to its push came late. Only the digest tells it.
    func explainsDifference(of view: ReplicaView, device: Int, _ ledger: Ledger) -> Bool {
        ledger.purged.contains { key, list in
            guard let held = view.facts[key] else { return false }
            return list.contains { mayHold(held, $0, view, device: device) }
        }
    }

    /// What it pushed itself; under an identity that it has given up, only what was purged before it had everything.
    private func mayHold(_ held: SlotStamps, _ purged: Ledger.Purged, _ view: ReplicaView, device: Int) -> Bool {
        if Self.holds(held, purged, by: [view.replica]) { return true }
        // The page that ends the first pull may show the difference: then everything is pulled anew before it is seen to end.
        let upTo = max(beginnings[device] ?? 0, beginning.contains(device) ? given[device] ?? 0 : 0)
        return purged.sequence <= upTo && Self.holds(held, purged, by: identities[device] ?? [])
    }

    /// - Parameter replicas: Whose the slots must be; `nil` for anybody's.
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
