internal import Crypto

/// SHA-256, with digests of 32 bytes.
package enum SHA256Digest {
    package static func of(_ bytes: some Collection<UInt8>) -> [UInt8] {
        if let digest = bytes.withContiguousStorageIfAvailable({ SHA256.hash(data: UnsafeRawBufferPointer($0)) }) {
            return Array(digest)
        }
        return Array(SHA256.hash(data: Array(bytes)))
    }

    /// Decodes a digest; `nil` unless the text is 64 hexadecimal digits.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        guard let bytes = Hex.decode(text.utf8), bytes.count == 32 else { return nil }
        return bytes
    }

    /// Returns the first 16 bytes of the hash, as a number, without allocating.
    package static func prefix(of bytes: UnsafeRawBufferPointer) -> UInt128 {
        SHA256.hash(data: bytes).withUnsafeBytes { digest in
            let high = UInt64(bigEndian: digest.loadUnaligned(as: UInt64.self))
            let low = UInt64(bigEndian: digest.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            return UInt128(high) << 64 | UInt128(low)
        }
    }
}
