internal import RoostModel
internal import RoostProtocol
internal import RoostService

/// I8: checkpoints are monotone and free of gaps. A page has every record that changed between its ends, but for what its
/// reader wrote knowing all of it; and a replica that has applied the last page lacks nothing accepted up to there.
struct PageChecker {
    /// Where a replica stands that has a checkpoint.
    struct Place: Hashable {
        var epoch: UInt64
        var sequence: UInt64
        var isLast: Bool
        var branch: ServerHistory.Branch
    }

    /// The server's history, for which a place of an abandoned branch does not count.
    private(set) var history = ServerHistory()

    /// By the bytes of the checkpoint.
    private var places: [[UInt8]: Place] = [:]
    /// Up to where each device has everything.
    private var complete: [Int: Place] = [:]
    /// Devices whose file may be older than it was: of what they pushed themselves they know only by the digest.
    private var olderFiles: Set<Int> = []
    /// Where a device stands with a page that was not the last. Another may stand there with the last one, after the server was
    /// put back to there.
    private var between: [Int: [UInt8]] = [:]
    /// The checkpoint that each device has now.
    private var positions: [Int: [UInt8]] = [:]
    /// Devices that stood between two pages of a pull when the server was put back, to a moment that has their checkpoint.
    private var stoodBetween: Set<Int> = []
    /// Records that a device was told are purged in answer to a push, not by a page.
    private var gone: [Int: Set<RecordKey>] = [:]
    /// The same, before the server was put back to a moment when it had them: a device's checkpoint may be of then.
    private var forgotten: [Int: Set<RecordKey>] = [:]
    /// Whether the server was put back.
    private var hasGoneBack = false
    /// Under which each device has pushed.
    private var identities: [Int: Set<ReplicaID>] = [:]

    /// A page that the server gave.
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

    /// A replica, after something happened to it.
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

    /// The sequence up to which a device has everything, if that is known.
    func complete(_ device: Int) -> UInt64? { complete[device]?.sequence }

    /// Whether a replica has only some of the pages of a pull.
    func isBetweenPages(_ view: ReplicaView) -> Bool { !(places[view.checkpoint]?.isLast ?? true) }

    /// What a replica pushed itself is confirmed by the reply, and waits in the outbox until then; in a copy of its file that has
    /// another identity by now, under that one. Where a server that was put back took nothing back, it waits under a later stamp; a
    /// late repetition of the push may store the earlier one meanwhile, and nobody is sent what is his own.
    ///
    /// - Parameter waiting: The reading of the record's change in the outbox.
    private func isUnacknowledged(
        _ stamp: HybridTimestamp, _ waiting: UInt64?, _ view: ReplicaView, _ device: Int
    ) -> Bool {
        if stamp.replica == view.replica && view.sealedPushes > 0 || waiting == stamp.time { return true }
        return hasGoneBack && waiting.map { $0 > stamp.time } ?? false
            && identities[device]?.contains(stamp.replica) ?? false
    }

    /// Whether all of a record is the device's own and deleted, and the device has forgotten its content: a server that was put
    /// back took nothing back, and only the delete was made anew, if that. A late repetition of the push brings the content to the
    /// server again; the next digest tells it.
    private func isGivenUp(_ history: Ledger.History, upTo: UInt64, _ slots: SlotStamps, _ device: Int) -> Bool {
        guard hasGoneBack, slots.put == nil, let delete = slots.delete ?? history.delete(upTo: upTo) else {
            return false
        }
        let stamps = [delete] + (history.put(upTo: upTo).map { [$0.stamp] } ?? [])
        return stamps.allSatisfy { $0 <= delete && identities[device]?.contains($0.replica) ?? false }
    }

    /// Whether a later change of a record had moved it behind the pages that a device has, and the server has lost that change: no later page
    /// brings the record (protocol.md §7.2). The device learns it from the digest, or pulls everything for another reason.
    private func isMovedBack(_ key: RecordKey, _ held: SlotStamps, _ device: Int, _ ledger: Ledger) -> Bool {
        stoodBetween.contains(device)
            && (ledger.hasMovedBack(key, lackedBy: held) || ledger.hasAgain(key, lackedBy: held))
    }

    /// Whether a record of which the device has given the content up explains that its digest differs: only the digest tells the device.
    func explainsDifference(of view: ReplicaView, device: Int, _ ledger: Ledger) -> Bool {
        ledger.records.contains { key, history in
            history.put() != nil && isGivenUp(history, upTo: .max, view.facts[key] ?? SlotStamps(), device)
        }
    }

    /// The server refused changes of these records to a device because they were purged.
    mutating func refused(_ keys: [RecordKey], to device: Int) { gone[device, default: []].formUnion(keys) }

    /// The server was restored from a backup: no pages are missing for devices with a checkpoint of an abandoned branch.
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

    /// Whether a checkpoint may be none of the present history: it is of an abandoned branch, or of an epoch that has ended.
    func isEnded(_ checkpoint: [UInt8], epoch: UInt64) -> Bool {
        places[checkpoint].map { !isPresent($0) || $0.epoch != epoch } ?? false
    }

    /// The device may have lost its last pages, and stand between two of them that it was given before the server was put back.
    mutating func mayHaveLost(_ device: Int) {
        complete[device] = nil
        if hasGoneBack { stoodBetween.insert(device) }
    }

    /// The device's file was replaced by an older one, or lost its last commits.
    mutating func wentBack(_ device: Int) {
        mayHaveLost(device)
        olderFiles.insert(device)
    }

    /// The device goes on under another identity, with the pages that it has.
    mutating func wasForked(_ device: Int) {
        complete[device] = nil
        olderFiles.insert(device)
    }

    /// Records that a replica pushed before its file became an older one are not sent to it again under the same identity, with what others
    /// have done to them before; and once it has another one its checkpoint is past that.
    private func isForgotten(_ history: Ledger.History, upTo: UInt64, _ device: Int) -> Bool {
        let stamps = [history.put(upTo: upTo)?.stamp, history.delete(upTo: upTo)].compactMap(\.self)
        return olderFiles.contains(device) && stamps.contains { identities[device]?.contains($0.replica) ?? false }
    }
}
