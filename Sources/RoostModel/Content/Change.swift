/// One replica's put or delete of one record, with its stamp.
public struct Change: Hashable, Sendable {
    /// What was done.
    public enum Kind: Hashable, Sendable {
        /// All attributes and references anew: an encoded ``Put``, and the stamp of the put it was edited from (`nil`
        /// for a create). `base` never decides a winner; it tells a conflict from an edit that knew what it replaced.
        case put([UInt8], base: HybridTimestamp?)
        case delete
    }

    public var key: RecordKey
    public var stamp: HybridTimestamp
    public var kind: Kind

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
        public var stamp: HybridTimestamp
        public var base: HybridTimestamp?
        public var encoded: [UInt8]

        public init(stamp: HybridTimestamp, base: HybridTimestamp?, encoded: [UInt8]) {
            self.stamp = stamp
            self.base = base
            self.encoded = encoded
        }
    }

    public var key: RecordKey
    public var put: PutSlot?
    public var delete: HybridTimestamp?

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
