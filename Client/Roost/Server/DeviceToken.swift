/// Makes device tokens in the form that servers accept (protocol.md §8.3): `roost_d_`, 30 characters of 62, and 6 of their CRC-32.
enum DeviceToken {
    private static let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    /// Makes a new random token, which is a secret.
    static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        var text = Array("roost_d_".utf8)
        for _ in 0..<30 { text.append(digits[Int.random(in: 0..<digits.count, using: &generator)]) }
        return String(decoding: text + check(text), as: UTF8.self)
    }

    private static func check(_ text: [UInt8]) -> [UInt8] {
        var rest = ~text.reduce(UInt32.max) { crc, byte in
            (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        var check: [UInt8] = []
        for _ in 0..<6 {
            check.append(digits[Int(rest % 62)])
            rest /= 62
        }
        return check.reversed()
    }
}
