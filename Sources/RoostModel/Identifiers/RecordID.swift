/// The identifier of a record: 16 bytes, unique within its entity and scope.
///
/// New identifiers are time-ordered (the layout of UUID version 7, RFC 9562 §5.7), so that records made together are
/// adjacent in every table. Any 16 bytes are accepted from elsewhere.
public struct RecordID: Hashable, Comparable, Sendable, BitwiseCopyable {
    package let high: UInt64
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads 16 bytes, most significant first; `nil` for any other count.
    public init?(bytes: some Collection<UInt8>) {
        // Arrays and slices, the only collections that decoders have, are read without a copy.
        let loaded = bytes.withContiguousStorageIfAvailable { RecordID(buffer: $0) } ?? RecordID(copying: bytes)
        guard let loaded else { return nil }
        self = loaded
    }

    private init?(buffer: UnsafeBufferPointer<UInt8>) {
        guard buffer.count == 16, let start = buffer.baseAddress else { return nil }
        self.init(loading: start)
    }

    private init?(copying bytes: some Collection<UInt8>) {
        guard let id = Array(bytes).withUnsafeBufferPointer({ RecordID(buffer: $0) }) else { return nil }
        self = id
    }

    /// Reads 16 bytes at `pointer`.
    package init(loading pointer: UnsafeRawPointer) {
        high = UInt64(bigEndian: pointer.loadUnaligned(as: UInt64.self))
        low = UInt64(bigEndian: pointer.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }

    /// Makes a time-ordered identifier.
    ///
    /// - Parameters:
    ///   - milliseconds: Milliseconds since 1970, 48 bits.
    ///   - generator: The source of its 74 random bits.
    public init(milliseconds: UInt64, using generator: inout some RandomNumberGenerator) {
        let random = generator.next() as UInt64
        high = milliseconds << 16 | 0x7000 | random & 0xFFF
        low = 0x8000_0000_0000_0000 | (generator.next() as UInt64) >> 2
    }

    /// Derives an identifier from parts, equal for equal parts on every device (the first 16 bytes of their SHA-256).
    ///
    /// Use it where two devices may do one thing offline: an import, a link between two records.
    public init(derivedFrom parts: [String]) {
        var bytes: [UInt8] = []
        for part in parts {
            // The length keeps ["ab", "c"] apart from ["a", "bc"].
            bytes.appendBigEndian(UInt32(part.utf8.count))
            bytes.append(contentsOf: part.utf8)
        }
        let hash = bytes.withUnsafeBytes { SHA256Digest.prefix(of: $0) }
        self.init(high: UInt64(truncatingIfNeeded: hash >> 64), low: UInt64(truncatingIfNeeded: hash))
    }

    /// The 16 bytes, most significant first.
    public var bytes: [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(16)
        result.appendBigEndian(high)
        result.appendBigEndian(low)
        return result
    }

    public static func < (left: RecordID, right: RecordID) -> Bool {
        left.high == right.high ? left.low < right.low : left.high < right.high
    }
}

extension RecordID: LosslessStringConvertible {
    /// Reads the text form of a UUID: 36 characters, with hyphens at their offsets and hexadecimal digits in either case.
    public init?(_ text: String) {
        let characters = Array(text.utf8)
        guard characters.count == 36 else { return nil }
        for place in [8, 13, 18, 23] where characters[place] != UInt8(ascii: "-") { return nil }
        guard let bytes = Hex.decode(characters.filter { $0 != UInt8(ascii: "-") }) else { return nil }
        self.init(bytes: bytes)
    }

    /// The lower-case text form of a UUID.
    public var description: String {
        let digits = Array(Hex.encode(bytes).utf8)
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for (index, digit) in digits.enumerated() {
            if index == 8 || index == 12 || index == 16 || index == 20 { text.append(UInt8(ascii: "-")) }
            text.append(digit)
        }
        return String(decoding: text, as: UTF8.self)
    }
}
