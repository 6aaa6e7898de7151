package import RoostModel

/// Last-writer-wins per record: each slot keeps the greater, by stamp and then by content hash (semantics §1).
///
/// A join: any order, grouping and repetition of the same changes gives the same slots.
package enum SlotMerge {
    /// How an arriving put or delete fared in its slot.
    package enum Outcome: Hashable, Sendable {
        /// It is the slot's new content.
        case current
        /// It was there already.
        case repeated
        /// The slot holds a greater one.
        case beaten
        /// It is current, but carries the stamp of the content it displaced or met: a stamp names one content, so two
        /// replicas share an identity.
        case collision(isCurrent: Bool)
    }

    /// Puts an arriving put into its slot.
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

    /// Puts an arriving delete into its slot.
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
