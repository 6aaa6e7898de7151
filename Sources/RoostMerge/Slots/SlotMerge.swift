package import RoostModel

/// The merge of two slots: last writer wins per record. Each slot keeps the greater change, by stamp and then by content
/// hash (protocol.md §11.1).
///
/// The merge is a join: the same changes give the same slots in any order and grouping, however often they are repeated.
package enum SlotMerge {
    /// The outcome of an arriving put or delete in its slot.
    package enum Outcome: Hashable, Sendable {
        /// The change is the slot's new content.
        case current
        /// The slot already had the change.
        case repeated
        /// The slot holds a greater change.
        case beaten
        /// The change is current or not, and carries the stamp of the content that it met. A stamp identifies one content,
        /// so two replicas share an identity.
        case collision(isCurrent: Bool)
    }

    /// Merges an arriving put into its slot.
    package static func merge(_ put: SlotStamps.PutStamp, into slots: inout SlotStamps) -> Outcome {
        guard let held = slots.put else {
            slots.put = put
            return .current
        }
        if held == put { return .repeated }
        #if ROOST_SEEDED_BUGS
            if SeededBug.ignoreEqualStamp.isOn, held.stamp.time == put.stamp.time { return .repeated }
        #endif
        let isGreater = held < put
        if isGreater { slots.put = put }
        if held.stamp == put.stamp { return .collision(isCurrent: isGreater) }
        return isGreater ? .current : .beaten
    }

    /// Merges an arriving delete into its slot.
    package static func merge(delete stamp: HybridTimestamp, into slots: inout SlotStamps) -> Outcome {
        guard let held = slots.delete else {
            slots.delete = stamp
            return .current
        }
        if held == stamp { return .repeated }
        guard held < stamp else { return .beaten }
        slots.delete = stamp
        return .current
    }
}
