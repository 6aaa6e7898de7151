internal import RoostModel
internal import RoostProtocol

/// A page that has only identifiers of purged records. A replica that knew the purged records, and has built nothing on them
/// since, shows equal rows before and after it.
struct QuietPage {
    private let names: [RecordKey]
    private let end: [UInt8]
    private let since: [UInt8]
    private let hasMore: Bool

    /// - Parameter since: The checkpoint that the page follows.
    /// - Returns: `nil` for a page that has anything else.
    init?(_ page: PullReply, since: [UInt8]) {
        guard page.records.isEmpty, !page.purged.isEmpty else { return nil }
        names = page.purged
        end = page.checkpoint.bytes
        hasMore = page.hasMore
        self.since = since
    }

    /// Returns whether nothing else happened to a replica between two views.
    func isAll(between before: ReplicaView, and after: ReplicaView) -> Bool {
        since == before.checkpoint && end == after.checkpoint && before.outbox.isEmpty && after.outbox.isEmpty
            && !before.isPullingAnew && !after.isPullingAnew
    }

    /// Returns whether a replica may rightly show different rows after the page.
    ///
    /// A replica that was away for longer than the horizon may not have received the delete, but only the identifiers. A
    /// write between the purge and its notification may keep a purged record visible there, or be kept by one (protocol.md
    /// §11.4: references to and from a purged record decide nothing any more). Between two pages of one pull, a rewritten
    /// record may still have its former reference (protocol.md §7.2).
    func mayChangeRows(
        of before: ReplicaView, _ ledger: Ledger, _ rules: ReferenceRules
    ) throws -> Bool {
        for name in names {
            guard let held = before.facts[name] else { continue }
            guard let purged = ledger.purged[name]?.last(where: { $0.history.slots == held }) else { return true }
            if try isBuiltOn(name, purged, before, ledger, rules) { return true }
            if try hasMore && isReferredToByWhatFollows(name, before, ledger, rules) { return true }
        }
        return false
    }

    /// Returns whether the replica has a reference to the purged record in a put that is older than the server's.
    private func isReferredToByWhatFollows(
        _ name: RecordKey, _ view: ReplicaView, _ ledger: Ledger, _ rules: ReferenceRules
    ) throws -> Bool {
        for (key, history) in ledger.records {
            guard let held = view.facts[key], held != history.slots,
                let put = history.puts.last(where: { $0.stamp == held.put?.stamp })
            else { continue }
            if try refers(key, put.encoded, to: name, rules) { return true }
        }
        return false
    }

    /// Returns whether a change that the server accepted after a purge has a reference to the purged record that could keep
    /// it or make a cycle with it, or the purged record has such a reference to the changed one.
    private func isBuiltOn(
        _ name: RecordKey, _ purged: Ledger.Purged, _ view: ReplicaView, _ ledger: Ledger, _ rules: ReferenceRules
    ) throws -> Bool {
        for (key, history) in ledger.records where view.facts[key] == history.slots {
            let isLater =
                history.put()?.sequence ?? 0 > purged.sequence
                || history.deletes.contains { $0.sequence > purged.sequence }
            guard isLater else { continue }
            if try refers(key, history.put()?.encoded, to: name, rules) { return true }
            if try refers(name, purged.history.put()?.encoded, to: key, rules) { return true }
        }
        return false
    }

    private func refers(
        _ key: RecordKey, _ encoded: [UInt8]?, to target: RecordKey, _ rules: ReferenceRules
    ) throws -> Bool {
        guard let encoded else { return false }
        return try Put(encoded: encoded).references.contains { reference in
            guard let rule = rules.rule(key.entity, reference.relationship), rule.isTree || rule.deleteRule == .deny
            else { return false }
            return RecordKey(entity: rule.destination, id: reference.target) == target
        }
    }
}
