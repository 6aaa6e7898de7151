internal import RoostModel

/// I17: a change that the server lost in a restore from a backup, and a replica held at that time, comes back, or the
/// replica's journal has it.
struct RollbackChecker {
    /// The slot that decides about a record: its put or its delete, the later of the two.
    private struct Claim {
        var device: Int
        var key: RecordKey
        var put: SlotStamps.PutStamp?
        var delete: HybridTimestamp?
    }

    private var claims: [Claim] = []
    /// Devices that may once find a difference from the server. A device that received nothing of the lost history, except
    /// replies to its own pushes, has a checkpoint from before it, and only the digest reveals the loss.
    private var mayDiffer: Set<Int> = []
    /// Devices that the server has told to resynchronise fully because they were away for too long.
    private var tooOld: Set<Int> = []
    /// Whether the server was ever restored without a new epoch.
    private(set) var wasBehindItsBack = false

    mutating func serverWentBack(
        isByOperator: Bool, _ views: [(device: Int, view: ReplicaView)], _ ledger: Ledger
    ) {
        if !isByOperator { wasBehindItsBack = true }
        // A new epoch notifies all other devices with a checkpoint.
        mayDiffer.formUnion(views.filter { !isByOperator || $0.view.checkpoint.isEmpty }.map(\.device))
        for (device, view) in views where !(view.isPullingAnew && tooOld.contains(device)) {
            for (key, slots) in view.facts
            where ledger.hasLost(slots, of: key) && !ledger.hasEverPurged(slots, of: key) {
                var claim = Claim(device: device, key: key)
                switch slots.own {
                // A pending edit takes the place of the content (decision 26): it is sent instead.
                case .put where view.outbox[key]?.put == nil: claim.put = slots.put
                // A later pending edit undoes the delete.
                case .deleted where view.outbox[key]?.put ?? 0 <= slots.delete?.time ?? 0: claim.delete = slots.delete
                default: continue
                }
                claims.append(claim)
            }
        }
    }

    /// Removes claims that a later local edit replaces. The edit has to be accounted for by itself, even if a delete follows
    /// in the same transaction. An edit undoes the delete, as an undelete does.
    mutating func wrote(_ write: LocalWrite) {
        claims.removeAll { claim in
            guard claim.device == write.device, claim.key == write.key else { return false }
            return switch write.kind {
            case .put: claim.put != nil || write.isCertain
            case .undelete: claim.delete != nil && write.isCertain
            case .delete: false
            }
        }
    }

    /// Returns whether the digest revealed a difference that the device could not find otherwise.
    mutating func explainsDifference(of view: ReplicaView, _ device: Int, _ ledger: Ledger) -> Bool {
        guard mayDiffer.remove(device) != nil else { return false }
        return view.facts.contains { ledger.hasLost($1, of: $0) }
            || ledger.records.keys.contains { key in
                ledger.hasAgain(key, lackedBy: view.facts[key]) || ledger.hasMovedBack(key, lackedBy: view.facts[key])
            }
    }

    mutating func copied(_ device: Int, to copy: Int) {
        if mayDiffer.contains(device) { mayDiffer.insert(copy) }
    }

    /// Handles a power failure that took pages and replies which the server delivers again (decision 42). A checkpoint of a
    /// lost history may have been among them.
    mutating func mayHaveLostPages(_ device: Int) {
        excuse(device)
        mayDiffer.insert(device)
    }

    /// Handles a device that the server has reported as away for too long. It cannot distinguish records that the server lost
    /// from purged ones.
    mutating func wasTooOld(_ device: Int) {
        tooOld.insert(device)
        excuse(device)
    }

    /// Removes the claims of a device whose file lost commits itself, or is no longer used.
    mutating func excuse(_ device: Int) { claims.removeAll { $0.device == device } }

    /// Removes the claims for content that another program has overwritten or removed on the device without a trigger:
    /// nothing is left to bring back.
    mutating func wroteForeign(_ device: Int, keeps: (RecordKey) -> Bool) {
        claims.removeAll { $0.device == device && $0.put != nil && !keeps($0.key) }
    }

    /// Prepares for another restore of the server. A claim is met if the server has the change again, or had it and purged
    /// it, or a journal has it. A replica that still holds the change makes a new claim, and no replica needs to hold a
    /// purged one.
    mutating func serverGoesBack(_ ledger: Ledger, _ journals: [Int: OwnWritesChecker.Journal]) throws {
        claims = try claims.filter { try Self.whatIsMissing(of: $0, ledger, journals) != nil }
    }

    func check(_ ledger: Ledger, _ journals: [Int: OwnWritesChecker.Journal]) throws {
        for claim in claims {
            guard let missing = try Self.whatIsMissing(of: claim, ledger, journals) else { continue }
            throw Violation(
                .rollback,
                "the server lost the \(missing) of \(claim.key), replica \(claim.device) held it, and it did not come back"
            )
        }
    }

    private static func whatIsMissing(
        of claim: Claim, _ ledger: Ledger, _ journals: [Int: OwnWritesChecker.Journal]
    ) throws -> String? {
        let present = ledger.slots(of: claim.key, withPurged: true)
        let journal = journals[claim.device] ?? .init()
        // Equal content may be stored under a lesser stamp, by a copy of the file that sent it as its own.
        if let put = claim.put, present.put.map({ $0.stamp < put.stamp && $0.hash != put.hash }) ?? true,
            // The record was deleted since.
            present.delete.map({ $0 < put.stamp }) ?? true
        {
            let marker = try ledger.content(claim.key, put).map { try Expected($0).text } ?? ""
            if !journal.markers.contains(marker) { return "put \(put.stamp)" }
        }
        if let delete = claim.delete, present.delete.map({ $0 < delete }) ?? true,
            // The record was edited since.
            present.put.map({ $0.stamp < delete }) ?? true,
            !(journal.deletes[claim.key]?.contains(delete.time) ?? false),
            // No slot of the record is left to be deleted.
            ledger.slots(of: claim.key) != SlotStamps() || ledger.purged[claim.key] == nil
        {
            return "delete \(delete)"
        }
        return nil
    }
}
