/// What decides about a record: the newest put and the newest delete known of it, either of which may be missing.
package struct SlotStamps: Hashable, Sendable {
    /// A put's stamp, and the hash that decides where two puts carry the same stamp.
    package struct PutStamp: Hashable, Comparable, Sendable {
        package var stamp: HybridTimestamp
        package var hash: ContentHash

        package init(stamp: HybridTimestamp, hash: ContentHash) {
            self.stamp = stamp
            self.hash = hash
        }

        package static func < (left: PutStamp, right: PutStamp) -> Bool {
            left.stamp == right.stamp ? left.hash < right.hash : left.stamp < right.stamp
        }
    }

    package var put: PutStamp?
    package var delete: HybridTimestamp?

    package init(put: PutStamp? = nil, delete: HybridTimestamp? = nil) {
        self.put = put
        self.delete = delete
    }

    /// What the record is by its own slots alone.
    package var own: OwnState { OwnState(put: put?.stamp, delete: delete) }
}

/// What a record is by its own slots, before any delete rule is looked at.
package enum OwnState: Hashable, Sendable {
    /// Its newest change is a put.
    case put
    /// Its newest change is a delete, and a put is known that the delete hid.
    case deleted
    /// No put is known: never seen, purged, or deleted before its put arrived. Dead everywhere.
    case absent

    package init(put: HybridTimestamp?, delete: HybridTimestamp?) {
        guard let put else {
            self = .absent
            return
        }
        guard let delete else {
            self = .put
            return
        }
        self = put > delete ? .put : .deleted
    }
}
