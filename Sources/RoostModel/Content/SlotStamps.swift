/// The stamps that decide about a record: its newest put and its newest delete, either of which may be missing.
package struct SlotStamps: Hashable, Sendable {
    /// A put's stamp, and the hash that decides between puts with equal stamps.
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

    /// The state of the record by its own slots alone.
    package var own: OwnState { OwnState(put: put?.stamp, delete: delete) }
}

/// The state of a record by its own slots, before any delete rule is applied.
package enum OwnState: Hashable, Sendable {
    /// Its newest change is a put.
    case put
    /// Its newest change is a delete, and a put exists that the delete hid.
    case deleted
    /// No put exists: never seen, purged, or deleted before its put arrived. The record is dead on every replica.
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
