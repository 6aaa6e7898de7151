/// One replica's put or delete of one record, with its stamp.
public struct Change: Hashable, Sendable {
    /// What was done.
    public enum Kind: Hashable, Sendable {
        /// All attributes and references anew: an encoded ``Put``, and the stamp of the put it was edited from (`nil`
        /// for a create). `base` never decides a winner; it tells a conflict from an edit that knew what it replaced.
        case put([UInt8], base: HybridTimestamp?)
        /// The record is deleted, until a put with a greater stamp.
        case delete
    }

    /// The record that is changed.
    public var key: RecordKey
    /// When it was made, and by which replica; the greater stamp wins.
    public var stamp: HybridTimestamp
    /// What was done.
    public var kind: Kind

    /// Makes a change.
    public init(key: RecordKey, stamp: HybridTimestamp, kind: Kind) {
        self.key = key
        self.stamp = stamp
        self.kind = kind
    }
}

/// Everything a scope knows of one record: its two slots with the put's content. What a pull sends.
public struct RecordState: Hashable, Sendable {
    /// The newest put: its stamp, what it was edited from, and its encoded content.
    public struct PutSlot: Hashable, Sendable {
        /// The stamp of the put.
        public var stamp: HybridTimestamp
        /// The stamp of the put that it was edited from; `nil` for a create.
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
    /// The newest put; `nil` where only a delete is known.
    public var put: PutSlot?
    /// The stamp of the newest delete; `nil` where there was none. The greater of both decides whether the record is
    /// deleted.
    public var delete: HybridTimestamp?

    /// Makes a state, of no slots unless they are given.
    public init(key: RecordKey, put: PutSlot? = nil, delete: HybridTimestamp? = nil) {
        self.key = key
        self.put = put
        self.delete = delete
    }

    /// The stamps that decide, with the content hashed.
    package var stamps: SlotStamps {
        SlotStamps(put: put.map { .init(stamp: $0.stamp, hash: ContentHash(of: $0.encoded)) }, delete: delete)
    }
}
