internal import RoostModel

/// A secret that opens something: `roost_<kind>_`, 30 base-62 characters, and 6 of their CRC-32 (protocol.md §8.3).
///
/// The checksum tells a mistyped or cut token from a wrong one without a look into the store.
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
    private static let secretCount = 30
    private static let checkCount = 6

    /// Reads a token as sent; `nil` if it is none, or its checksum does not match.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        let prefix = Array("roost_x_".utf8)
        guard bytes.count == prefix.count + Self.secretCount + Self.checkCount,
            bytes.starts(with: prefix.prefix(6)), bytes[7] == prefix[7],
            let kind = Kind(rawValue: String(decoding: bytes[6...6], as: UTF8.self)),
            bytes.dropFirst(prefix.count).allSatisfy({ Self.digits.contains($0) }),
            Array(bytes.suffix(Self.checkCount)) == Self.check(bytes.dropLast(Self.checkCount))
        else { return nil }
        self.text = text
        self.kind = kind
    }

    /// Makes the token that some random bytes stand for; the same bytes give the same token.
    ///
    /// - Parameter bytes: Gives 32 more bytes at each call, as good as random.
    package init(_ kind: Kind, from bytes: (_ round: UInt8) -> [UInt8]) {
        var text = Array("roost_\(kind.rawValue)_".utf8)
        let count = text.count + Self.secretCount
        var round: UInt8 = 0
        while text.count < count {
            // 248 is the greatest multiple of 62 in a byte: above it the digits would not be equally likely.
            for byte in bytes(round) where byte < 248 && text.count < count { text.append(Self.digits[Int(byte) % 62]) }
            round += 1
        }
        text += Self.check(text[...])
        self.text = String(decoding: text, as: UTF8.self)
        self.kind = kind
    }

    /// What is stored of it.
    package var hash: TokenHash { TokenHash(bytes: SHA256Digest.of(Array(text.utf8))) }

    private static func check(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var rest = crc32(bytes)
        var text: [UInt8] = []
        for _ in 0..<checkCount {
            text.append(digits[Int(rest % 62)])
            rest /= 62
        }
        return text.reversed()
    }

    private static func crc32(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        var crc = UInt32.max
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return ~crc
    }
}
