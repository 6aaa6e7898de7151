internal import GRDB
internal import RoostModel

/// A local transaction with content that is not in the file any more, by corruption or because another program has deleted a row
/// past all triggers.
///
/// It cannot arrive whole, so nothing of it is sent. The journal keeps what is left of it, and its records are reverted to their
/// confirmed slots.
struct DamagedTransaction {
    let database: Database
    let layout: Layout
    let replica: ReplicaID
    /// Milliseconds since 1970.
    let now: Int64

    private static let lostReason =
        "The content of this change is not in the file any more: it was damaged, or another program took the row past all triggers."
    private static let tiedReason =
        "It was written together with a change whose content is not in the file any more, and nothing of it was sent. "
        + "Restoring it sends it by itself."

    /// Removes the pending changes of `group` from the outbox.
    ///
    /// - Parameters:
    ///   - group: All entries that must arrive together.
    ///   - contents: The content of each entry's pending put, where it is still in the file.
    ///   - damage: Receives the number of refused changes and a notice.
    func refuse(_ group: [Outbox.Entry], _ contents: [[UInt8]?], _ damage: inout OutboxDamage) throws {
        var acknowledgement = try Acknowledgement(database, layout, now: now)
        var lost = 0
        var tied = 0
        for (entry, content) in zip(group, contents) {
            for (slot, time) in entry.slots {
                let isLost = slot == .put && content == nil
                try acknowledgement.revert(
                    entry.key, slot, stamp: HybridTimestamp(time: time, replica: replica),
                    put: slot == .put ? content : nil, as: isLost ? .damaged : .refused,
                    reason: isLost ? Self.lostReason : Self.tiedReason)
                if isLost { lost += 1 } else { tied += 1 }
            }
        }
        try acknowledgement.finish(current: [])
        let notice =
            "The content of \(lost) changes that waited is gone: the file is damaged, or another program took their rows past "
            + "all triggers. They were not sent, nor \(tied) that were written together with them; the journal keeps what there is."
        try Journal(database: database, now: now).event("damage", notice)
        damage.refused += lost + tied
        damage.notices.append(notice)
    }
}
