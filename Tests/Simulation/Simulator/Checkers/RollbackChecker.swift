internal import RoostModel

/// I17: what a server lost by being put back to an older copy, and a replica held just then, comes back, or the replica's
/// journal has it.
struct RollbackChecker {
    /// What decides about a record: its put or its delete, whichever is the later.
    private struct Claim {
        var device: Int
        var key: RecordKey
        var put: SlotStamps.PutStamp?
        var delete: HybridTimestamp?
    }

    private var claims: [Claim] = []
    /// Devices that may find once that they differ from the server: those that saw nothing of the lost history but their own
    /// pushes have a checkpoint from before, and only the digest tells them.
    private var mayDiffer: Set<Int> = []
    /// Devices that were told to pull everything anew because they were away for too long.
    private var tooOld: Set<Int> = []
    /// Whether the server was ever put back without being told.
    private(set) var wasBehindItsBack = false

    mutating func serverWentBack(
        isByOperator: Bool, _ views: [(device: Int, view: ReplicaView)], _ ledger: Ledger
    ) {
        if !isByOperator { wasBehindItsBack = true }
        // A new epoch tells everyone else who has a checkpoint.
        mayDiffer.formUnion(views.filter { !isByOperator || $0.view.checkpoint.isEmpty }.map(\.device))
        for (device, view) in views where !(view.isPullingAnew && tooOld.contains(device)) {
            for (key, slots) in view.facts
            where ledger.hasLost(slots, of: key) && !ledger.hasEverPurged(slots, of: key) {
                var claim = Claim(device: device, key: key)
                switch slots.own {
                // A waiting edit stands in the place of the content (decision 26): it goes instead.
                case .put where view.outbox[key]?.put == nil: claim.put = slots.put
                // A waiting edit that is later undoes the delete.
                case .deleted where view.outbox[key]?.put ?? 0 <= slots.delete?.time ?? 0: claim.delete = slots.delete
                default: continue
                }
                claims.append(claim)
            }
        }
    }

    /// A later local edit takes the place of the content and is answered for by itself, also where a delete followed in the same
    /// transaction; it undoes the delete, as an undelete does.
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

    /// Whether the digest told a device what it could not know otherwise.
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

    /// A power failure took what the server was to give again (decision 42): a checkpoint of a lost history may have been in it.
    mutating func mayHaveLostPages(_ device: Int) {
        excuse(device)
        mayDiffer.insert(device)
    }

    /// The device was told so: it cannot tell any more what the server lost from what it has purged.
    mutating func wasTooOld(_ device: Int) {
        tooOld.insert(device)
        excuse(device)
    }

    /// The device's file lost something itself, or is not used any more.
    mutating func excuse(_ device: Int) { claims.removeAll { $0.device == device } }

    /// Another program has written on the device: of what it wrote over or took away past the triggers, nothing is left to bring back.
    mutating func wroteForeign(_ device: Int, keeps: (RecordKey) -> Bool) {
        claims.removeAll { $0.device == device && $0.put != nil && !keeps($0.key) }
    }

    /// The server is about to go back once more. What it has again by then, or had and purged, or what a journal has, is
    /// answered: whoever still holds it makes a new claim, and what was purged nobody needs to hold.
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
        // The same content may stand under a lesser stamp, that of a copy of the file which sent it as its own.
        if let put = claim.put, present.put.map({ $0.stamp < put.stamp && $0.hash != put.hash }) ?? true,
            // Deleted since.
            present.delete.map({ $0 < put.stamp }) ?? true
        {
            let marker = try ledger.content(claim.key, put).map { try Expected($0).text } ?? ""
            if !journal.markers.contains(marker) { return "put \(put.stamp)" }
        }
        if let delete = claim.delete, present.delete.map({ $0 < delete }) ?? true,
            // Edited since.
            present.put.map({ $0.stamp < delete }) ?? true,
            !(journal.deletes[claim.key]?.contains(delete.time) ?? false),
            // Nothing of the record is left to be deleted.
            ledger.slots(of: claim.key) != SlotStamps() || ledger.purged[claim.key] == nil
        {
            return "delete \(delete)"
        }
        return nil
    }
}
