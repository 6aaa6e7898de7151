internal import RoostModel

/// A secret of a device, invite or admin: `roost_<kind>_`, 30 base-62 characters, and 6 of their CRC-32 (protocol.md §8.3).
///
/// The checksum tells a mistyped or cut token from a wrong one without a query of the store.
package struct Token: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        case device = "d"
        case invite = "i"
        case admin = "a"
        case recovery = "r"
    }

    package let text: String
    package let kind: Kind

    private static let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    private static let prefixCount = "roost_x_".utf8.count
    private static let secretCount = 30
    private static let checkCount = 6

    /// Reads a token as sent; `nil` if its form is wrong, or its checksum does not match.
    ///
    /// It reads bytes in place without a copy, because each request has a token.
    package init?(_ text: String) {
        var text = text
        let kind: Kind? = text.withUTF8 { bytes in
            guard bytes.count == Self.prefixCount + Self.secretCount + Self.checkCount,
                bytes.starts(with: "roost_".utf8), bytes[Self.prefixCount - 1] == UInt8(ascii: "_"),
                bytes[Self.prefixCount...].allSatisfy(Self.isDigit),
                Self.check(bytes[..<(Self.prefixCount + Self.secretCount)]).elementsEqual(bytes.suffix(Self.checkCount))
            else { return nil }
            return Kind(rawValue: String(UnicodeScalar(bytes[Self.prefixCount - 2])))
        }
        guard let kind else { return nil }
        self.text = text
        self.kind = kind
    }

    /// Makes a token from random bytes. Equal bytes give equal tokens.
    ///
    /// - Parameter bytes: Returns 32 more bytes at each call, indistinguishable from random ones.
    package init(_ kind: Kind, from bytes: (_ round: UInt8) -> [UInt8]) {
        var text = Array("roost_\(kind.rawValue)_".utf8)
        let count = text.count + Self.secretCount
        var round: UInt8 = 0
        while text.count < count {
            // 248 is the greatest multiple of 62 in a byte: above it the digits would not be equally likely.
            for byte in bytes(round) where byte < 248 && text.count < count { text.append(Self.digits[Int(byte) % 62]) }
            round += 1
        }
        text += text.withUnsafeBufferPointer { Self.check($0[...]) }
        self.text = String(decoding: text, as: UTF8.self)
        self.kind = kind
    }

    /// The hash of the token, which is stored in its place.
    package var hash: TokenHash { TokenHash(bytes: SHA256Digest.of(Array(text.utf8))) }

    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }

    private static func check(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> [UInt8] {
        var rest = crc32(bytes)
        var text = [UInt8](repeating: 0, count: checkCount)
        for place in text.indices.reversed() {
            text[place] = digits[Int(rest % 62)]
            rest /= 62
        }
        return text
    }

    private static func crc32(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> UInt32 {
        ~bytes.reduce(UInt32.max) { crc, byte in crc >> 8 ^ remainders[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] }
    }

    /// The contribution of each byte to the checksum.
    private static let remainders = (UInt32(0)..<256).map { byte in
        (0..<8).reduce(byte) { rest, _ in rest & 1 == 1 ? rest >> 1 ^ 0xEDB8_8320 : rest >> 1 }
    }
}
