/// An order-independent hash over all slots of a scope: the sum, modulo 2¹²⁸, of one term for each record.
///
/// Two copies with equal slots have equal digests. Each change costs one subtraction and one addition.
public struct ScopeDigest: Hashable, Sendable, LosslessStringConvertible {
    package private(set) var value: UInt128

    package init(value: UInt128 = 0) {
        self.value = value
    }

    /// Reads 32 hexadecimal digits.
    public init?(_ text: String) {
        guard text.utf8.count == 32, let bytes = Hex.decode(text.utf8) else { return nil }
        self.init(bytes: bytes)
    }

    /// 32 lower-case hexadecimal digits.
    public var description: String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: 32 - text.utf8.count) + text
    }

    package var bytes: [UInt8] {
        var result: [UInt8] = []
        result.appendBigEndian(value)
        return result
    }

    package init?(bytes: some Collection<UInt8>) {
        guard let hash = ContentHash(bytes: bytes) else { return nil }
        value = hash.value
    }

    /// Replaces a record's old slots by its new ones.
    package mutating func replace(_ old: SlotStamps, with new: SlotStamps, of key: RecordKey) {
        replace(old, withTerm: Self.term(key, new), of: key)
    }

    /// Replaces a record's slots like ``replace(_:with:of:)``, with a precomputed term of the new slots.
    package mutating func replace(_ old: SlotStamps, withTerm new: UInt128, of key: RecordKey) {
        value &-= Self.term(key, old)
        value &+= new
    }

    /// Returns the first 16 bytes of SHA-256(entity ‖ id ‖ put stamp ‖ content hash ‖ delete stamp). An empty slot is
    /// zeros, and the term of a record with two empty slots is 0.
    package static func term(_ key: RecordKey, _ slots: SlotStamps) -> UInt128 {
        if slots.put == nil, slots.delete == nil { return 0 }
        return withUnsafeTemporaryAllocation(byteCount: 68, alignment: 8) { buffer in
            func store(_ value: UInt64, _ offset: Int) {
                buffer.storeBytes(of: value.bigEndian, toByteOffset: offset, as: UInt64.self)
            }
            buffer.storeBytes(of: key.entity.rawValue.bigEndian, as: UInt32.self)
            store(key.id.high, 4)
            store(key.id.low, 12)
            store(slots.put?.stamp.time ?? 0, 20)
            store(slots.put?.stamp.replica.rawValue ?? 0, 28)
            store(UInt64(truncatingIfNeeded: (slots.put?.hash.value ?? 0) >> 64), 36)
            store(UInt64(truncatingIfNeeded: slots.put?.hash.value ?? 0), 44)
            store(slots.delete?.time ?? 0, 52)
            store(slots.delete?.replica.rawValue ?? 0, 60)
            return SHA256Digest.prefix(of: UnsafeRawBufferPointer(buffer))
        }
    }
}
