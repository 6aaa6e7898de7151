internal import GRDB
internal import RoostModel

/// A local transaction of which some content is not in the file any more, by damage or because another program took a row past all triggers:
/// it cannot arrive whole, so nothing of it is sent. The journal keeps what there is of it, and its records go back to what is confirmed.
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

    /// Takes the waiting changes of `group` out of the outbox.
    ///
    /// - Parameters:
    ///   - group: All that must arrive together.
    ///   - contents: What the waiting put of each holds, where it is still known.
    ///   - damage: What is said of it is added here.
    func refuse(_ group: [Outbox.Entry], _ contents: [[UInt8]?], _ damage: inout OutboxDamage) throws {
        var acknowledgement = try Acknowledgement(database, layout, now: now)
        var lost = 0
        var tied = 0
        for (entry, content) in zip(group, contents) {
            for (slot, time) in entry.slots {
                let isLost = slot == .put && content == nil
                try acknowledgement.takeBack(
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
