/// A put or delete of one record by one replica, with its stamp.
public struct Change: Hashable, Sendable {
    /// The action of a change.
    public enum Kind: Hashable, Sendable {
        /// Replaces all attributes and references by an encoded ``Put``. `base` is the stamp of the put it was edited from
        /// (`nil` for a create). It never decides a winner; it tells a conflict from an edit of the put that it replaces.
        case put([UInt8], base: HybridTimestamp?)
        /// Deletes the record, until a put with a greater stamp.
        case delete
    }

    /// The changed record.
    public var key: RecordKey
    /// The time and the author of the change. The greater stamp wins.
    public var stamp: HybridTimestamp
    /// The action.
    public var kind: Kind

    /// Makes a change.
    public init(key: RecordKey, stamp: HybridTimestamp, kind: Kind) {
        self.key = key
        self.stamp = stamp
        self.kind = kind
    }
}

/// The state of one record in a scope: its two slots with the put's content, as a pull returns them.
public struct RecordState: Hashable, Sendable {
    /// The newest put: its stamp, the stamp of the put it was edited from, and its encoded content.
    public struct PutSlot: Hashable, Sendable {
        /// The stamp of the put.
        public var stamp: HybridTimestamp
        /// The stamp of the put that this put was edited from; `nil` for a create.
        public var base: HybridTimestamp?
        /// The content: an encoded ``Put``.
        public var encoded: [UInt8]

        /// Makes a slot.
        public init(stamp: HybridTimestamp, base: HybridTimestamp?, encoded: [UInt8]) {
            self.stamp = stamp
            self.base = base
            self.encoded = encoded
        }
    }

    /// The record.
    public var key: RecordKey
    /// The newest put; `nil` if only a delete exists.
    public var put: PutSlot?
    /// The stamp of the newest delete; `nil` if there was none. The greater of both stamps decides whether the record is
    /// deleted.
    public var delete: HybridTimestamp?

    /// Makes a state, without slots unless they are given.
    public init(key: RecordKey, put: PutSlot? = nil, delete: HybridTimestamp? = nil) {
        self.key = key
        self.put = put
        self.delete = delete
    }

    /// The stamps and the content hash of the slots, which decide between changes.
    package var stamps: SlotStamps {
        SlotStamps(put: put.map { .init(stamp: $0.stamp, hash: ContentHash(of: $0.encoded)) }, delete: delete)
    }
}
