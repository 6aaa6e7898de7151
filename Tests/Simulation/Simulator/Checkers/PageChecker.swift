internal import RoostModel
internal import RoostProtocol
internal import RoostService

/// I8: checkpoints are monotone and free of gaps. A page has every record that changed between its ends, except those that
/// its reader wrote knowing their full state. A replica that has applied the last page lacks nothing accepted up to its end.
struct PageChecker {
    /// The position of a checkpoint in the server's history.
    struct Place: Hashable {
        var epoch: UInt64
        var sequence: UInt64
        var isLast: Bool
        var branch: ServerHistory.Branch
    }

    /// The branches of the server's history. Positions of an abandoned branch do not count.
    private(set) var history = ServerHistory()

    /// The positions by the bytes of their checkpoints.
    private var places: [[UInt8]: Place] = [:]
    /// The positions up to which devices have all changes.
    private var complete: [Int: Place] = [:]
    /// Devices whose file may be older than before. Only the digest tells them of their own earlier pushes.
    private var olderFiles: Set<Int> = []
    /// The checkpoints of devices that have applied a page that was not the last. After a restore of the server, a last page
    /// may end with such a checkpoint for another device.
    private var between: [Int: [UInt8]] = [:]
    /// The current checkpoint of each device.
    private var positions: [Int: [UInt8]] = [:]
    /// Devices that were between two pages of a pull when the server was restored to a time that includes their checkpoint.
    private var stoodBetween: Set<Int> = []
    /// Records that a push reply, not a page, reported to a device as purged.
    private var gone: [Int: Set<RecordKey>] = [:]
    /// The records of ``gone`` at the time of the last restore. The restored server may have them again, while a device's
    /// checkpoint may be later than them.
    private var forgotten: [Int: Set<RecordKey>] = [:]
    /// Whether the server was restored from a backup.
    private var hasGoneBack = false
    /// The identities under which each device has pushed.
    private var identities: [Int: Set<ReplicaID>] = [:]

    /// Checks a page that the server has sent.
    mutating func check(
        _ page: PullReply, since: CheckpointSeal.Position, end: CheckpointSeal.Position, for replica: ReplicaID,
        _ server: ServerView
    ) throws {
        places[page.checkpoint.bytes] = Place(
            epoch: end.epoch, sequence: end.sequence, isLast: !page.hasMore, branch: history.branch(of: end.sequence))
        guard end.sequence >= since.sequence || since.epoch != end.epoch else {
            throw Violation(.pages, "a page goes back from sequence \(since.sequence) to \(end.sequence)")
        }
        let present = Set(page.records.map(\.key))
        guard present.count == page.records.count else { throw Violation(.pages, "a page has a record twice") }
        for (key, record) in server.records where record.sequence > since.sequence && record.sequence <= end.sequence {
            let isOwn = record.author == replica && record.sequence > since.echo
            if !isOwn, !present.contains(key) {
                throw Violation(
                    .pages,
                    "the page \(since.sequence)…\(end.sequence) leaves out \(key) of sequence \(record.sequence)")
            }
        }
        for record in page.records where record.stamps != server.records[record.key]?.state.stamps {
            throw Violation(.pages, "the page has \(record.key) otherwise than the server")
        }
    }

    /// Checks a replica after an event.
    mutating func check(_ view: ReplicaView, device: Int, _ ledger: Ledger) throws {
        identities[device, default: []].insert(view.replica)
        positions[device] = view.checkpoint
        if view.checkpoint.isEmpty {
            between[device] = nil
            stoodBetween.remove(device)
        }
        if view.isPullingAnew || view.checkpoint.isEmpty {
            complete[device] = nil
            if places[view.checkpoint]?.isLast == false { between[device] = view.checkpoint }
            return
        }
        guard let place = places[view.checkpoint] else {
            throw Violation(.pages, "replica \(device) has a checkpoint that no page had")
        }
        if let before = complete[device], before.epoch == place.epoch, place.sequence < before.sequence {
            throw Violation(.pages, "replica \(device) went back from sequence \(before.sequence) to \(place.sequence)")
        }
        guard isPresent(place) else {
            complete[device] = nil
            return
        }
        if !place.isLast { between[device] = view.checkpoint }
        let isLast = place.isLast && between[device] != view.checkpoint
        if isLast || complete[device]?.epoch != place.epoch { complete[device] = isLast ? place : nil }
        guard let upTo = complete[device]?.sequence else { return }
        for (key, history) in ledger.records where !(forgotten[device]?.contains(key) ?? false) {
            let slots = view.facts[key] ?? SlotStamps()
            if isMovedBack(key, slots, device, ledger) { continue }
            if let put = history.put(upTo: upTo), (slots.put?.stamp).map({ $0 < put.stamp }) ?? true,
                !isUnacknowledged(put.stamp, view.outbox[key]?.put, view, device),
                !isForgotten(history, upTo: upTo, device),
                !isGivenUp(history, upTo: upTo, slots, device)
            {
                throw Violation(
                    .pages,
                    "replica \(device) is complete up to sequence \(upTo) and lacks the put \(put.stamp) of \(key)")
            }
            if let delete = history.delete(upTo: upTo), slots.delete.map({ $0 < delete }) ?? true,
                !isUnacknowledged(delete, view.outbox[key]?.delete, view, device),
                !isForgotten(history, upTo: upTo, device),
                !isGivenUp(history, upTo: upTo, slots, device)
            {
                throw Violation(
                    .pages,
                    "replica \(device) is complete up to sequence \(upTo) and lacks the delete \(delete) of \(key)")
            }
        }
    }

    /// Returns the sequence up to which a device has all changes, if it is known.
    func complete(_ device: Int) -> UInt64? { complete[device]?.sequence }

    /// Returns whether a replica has only some of the pages of a pull.
    func isBetweenPages(_ view: ReplicaView) -> Bool { !(places[view.checkpoint]?.isLast ?? true) }

    /// Returns whether a change is the device's own and its reply has not arrived. It is pending in the outbox until then; in
    /// a copy of the file with another identity, under that identity. If a restored server did not accept it again, it is
    /// pending under a later stamp. A late repetition of the push may meanwhile store the earlier stamp, and the server sends
    /// no device its own changes.
    ///
    /// - Parameter waiting: The clock reading of the record's change in the outbox.
    private func isUnacknowledged(
        _ stamp: HybridTimestamp, _ waiting: UInt64?, _ view: ReplicaView, _ device: Int
    ) -> Bool {
        if stamp.replica == view.replica && view.sealedPushes > 0 || waiting == stamp.time { return true }
        return hasGoneBack && waiting.map { $0 > stamp.time } ?? false
            && identities[device]?.contains(stamp.replica) ?? false
    }

    /// Returns whether a record is entirely the device's own and deleted, and the device has discarded its content. A
    /// restored server did not accept the content again, and at most the delete was resent. A late repetition of the push
    /// gives the server the content again, which the next digest reveals.
    private func isGivenUp(_ history: Ledger.History, upTo: UInt64, _ slots: SlotStamps, _ device: Int) -> Bool {
        guard hasGoneBack, slots.put == nil, let delete = slots.delete ?? history.delete(upTo: upTo) else {
            return false
        }
        let stamps = [delete] + (history.put(upTo: upTo).map { [$0.stamp] } ?? [])
        return stamps.allSatisfy { $0 <= delete && identities[device]?.contains($0.replica) ?? false }
    }

    /// Returns whether a later change had moved a record behind the pages that a device has, and the server has lost that
    /// change. No later page then sends the record (protocol.md §7.2). The digest, or another full resynchronisation, brings
    /// it to the device.
    private func isMovedBack(_ key: RecordKey, _ held: SlotStamps, _ device: Int, _ ledger: Ledger) -> Bool {
        stoodBetween.contains(device)
            && (ledger.hasMovedBack(key, lackedBy: held) || ledger.hasAgain(key, lackedBy: held))
    }

    /// Returns whether a record with discarded content explains that the device's digest differs. Only the digest reveals the
    /// difference to the device.
    func explainsDifference(of view: ReplicaView, device: Int, _ ledger: Ledger) -> Bool {
        ledger.records.contains { key, history in
            history.put() != nil && isGivenUp(history, upTo: .max, view.facts[key] ?? SlotStamps(), device)
        }
    }

    /// Records that the server refused a device's changes of some records because they were purged.
    mutating func refused(_ keys: [RecordKey], to device: Int) { gone[device, default: []].formUnion(keys) }

    /// Handles the restore of the server from a backup: no pages are missing for devices with a checkpoint of an abandoned
    /// branch.
    ///
    /// - Parameters:
    ///   - backup: The history when the backup was taken.
    ///   - head: The last sequence of the backup.
    mutating func serverWentBack(to backup: ServerHistory, head: UInt64) {
        history.goBack(to: backup, head: head)
        complete = complete.filter { isPresent($0.value) }
        for (device, checkpoint) in positions {
            guard let place = places[checkpoint], isPresent(place) else { continue }
            if !place.isLast || between[device] == checkpoint { stoodBetween.insert(device) }
        }
        forgotten = gone
        hasGoneBack = true
    }

    private func isPresent(_ place: Place) -> Bool { history.has(place.sequence, of: place.branch) }

    /// Returns whether a checkpoint may be outside of the present history: it is of an abandoned branch, or of an epoch that
    /// has ended.
    func isEnded(_ checkpoint: [UInt8], epoch: UInt64) -> Bool {
        places[checkpoint].map { !isPresent($0) || $0.epoch != epoch } ?? false
    }

    /// Handles a device that may have lost its last pages. It may then be between two pages that it received before a restore
    /// of the server.
    mutating func mayHaveLost(_ device: Int) {
        complete[device] = nil
        if hasGoneBack { stoodBetween.insert(device) }
    }

    /// Handles a device's file that was replaced by an older one, or lost its last commits.
    mutating func wentBack(_ device: Int) {
        mayHaveLost(device)
        olderFiles.insert(device)
    }

    /// Handles a device that continues under another identity, with the pages that it has.
    mutating func wasForked(_ device: Int) {
        complete[device] = nil
        olderFiles.insert(device)
    }

    /// Returns whether a record is one that a replica pushed before its file became older. The server does not send it again
    /// under that identity, nor earlier changes of it by others. A new identity starts with a checkpoint after them.
    private func isForgotten(_ history: Ledger.History, upTo: UInt64, _ device: Int) -> Bool {
        let stamps = [history.put(upTo: upTo)?.stamp, history.delete(upTo: upTo)].compactMap(\.self)
        return olderFiles.contains(device) && stamps.contains { identities[device]?.contains($0.replica) ?? false }
    }
}
