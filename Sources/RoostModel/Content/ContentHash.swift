/// The identity of a put's content: the first 16 bytes of the SHA-256 of its encoded form.
///
/// It decides between two puts with equal stamps, and is part of the digest.
public struct ContentHash: Hashable, Comparable, Sendable {
    package let value: UInt128

    package init(value: UInt128) {
        self.value = value
    }

    /// Hashes an encoded ``Put``.
    package init(of put: [UInt8]) {
        value = put.withUnsafeBytes { SHA256Digest.prefix(of: $0) }
    }

    package init(loading pointer: UnsafeRawPointer) {
        let id = RecordID(loading: pointer)
        value = UInt128(id.high) << 64 | UInt128(id.low)
    }

    package init?(bytes: some Collection<UInt8>) {
        guard let id = RecordID(bytes: bytes) else { return nil }
        value = UInt128(id.high) << 64 | UInt128(id.low)
    }

    package var bytes: [UInt8] {
        var result: [UInt8] = []
        result.appendBigEndian(value)
        return result
    }

    public static func < (left: ContentHash, right: ContentHash) -> Bool { left.value < right.value }
}
