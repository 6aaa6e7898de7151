/// The stamp of a change: a reading of a hybrid logical clock and the replica that made the change.
///
/// 16 bytes: 48-bit milliseconds since 1970, 16-bit counter, 64-bit replica. Byte order is stamp order.
public struct HybridTimestamp: Hashable, Comparable, Sendable {
    /// The milliseconds and counter as one number that only grows: `milliseconds << 16 | counter`.
    package let time: UInt64
    /// The replica that made the change.
    public let replica: ReplicaID

    package init(time: UInt64, replica: ReplicaID) {
        self.time = time
        self.replica = replica
    }

    package init(milliseconds: UInt64, counter: UInt16, replica: ReplicaID) {
        self.init(time: milliseconds << 16 | UInt64(counter), replica: replica)
    }

    /// The milliseconds since 1970.
    public var milliseconds: UInt64 { time >> 16 }
    /// The number of earlier changes in the same millisecond.
    public var counter: UInt16 { UInt16(truncatingIfNeeded: time) }

    /// Reads 16 bytes, most significant first; `nil` for any other count.
    package init?(bytes: some Collection<UInt8>) {
        guard let id = RecordID(bytes: bytes) else { return nil }
        self.init(time: id.high, replica: ReplicaID(rawValue: id.low))
    }

    /// Reads 16 bytes at `pointer`.
    package init(loading pointer: UnsafeRawPointer) {
        let id = RecordID(loading: pointer)
        self.init(time: id.high, replica: ReplicaID(rawValue: id.low))
    }

    /// The 16 bytes, most significant first.
    package var bytes: [UInt8] { RecordID(high: time, low: replica.rawValue).bytes }

    public static func < (left: HybridTimestamp, right: HybridTimestamp) -> Bool {
        left.time == right.time ? left.replica < right.replica : left.time < right.time
    }
}

extension HybridTimestamp: LosslessStringConvertible {
    /// Reads 32 hexadecimal digits.
    public init?(_ text: String) {
        guard text.utf8.count == 32, let bytes = Hex.decode(text.utf8) else { return nil }
        self.init(bytes: bytes)
    }

    /// 32 lower-case hexadecimal digits.
    public var description: String { Hex.encode(bytes) }
}
