internal import Foundation

/// A host that every program parses identically: a DNS name, a full IPv4 address, or an IPv6 address.
struct HostName {
    /// The host in lower case, without brackets.
    let text: String
    let isLoopback: Bool

    /// Parses a host as written in a URL. An IPv6 address may have brackets or not.
    init?(_ text: some StringProtocol) {
        let lower = text.lowercased()
        if lower.hasPrefix("[") || lower.contains(":") {
            let inner = lower.hasPrefix("[") ? String(lower.dropFirst().dropLast()) : lower
            guard lower.hasPrefix("[") == lower.hasSuffix("]"), let bytes = Self.ipv6(inner) else { return nil }
            self.text = inner
            isLoopback = bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
            return
        }
        let labels = lower.split(separator: ".", omittingEmptySubsequences: false)
        guard let last = labels.last, lower.utf8.count <= 253, labels.allSatisfy(Self.isLabel) else { return nil }
        // Some programs read "127.1", "0x7f.1" and "2130706433" as addresses, others as names: refused.
        if last.utf8.first.map(Self.isDigit) ?? false {
            let numbers = labels.compactMap(Self.octet)
            guard labels.count == 4, numbers.count == 4 else { return nil }
            isLoopback = numbers[0] == 127
        } else {
            isLoopback = lower == "localhost"
        }
        self.text = lower
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Returns whether a label has 1 to 63 of a–z, 0–9, `-` and `_`, with no `-` at either end.
    private static func isLabel(_ label: Substring) -> Bool {
        (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
            && label.utf8.allSatisfy {
                isDigit($0) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == UInt8(ascii: "-")
                    || $0 == UInt8(ascii: "_")
            }
    }

    /// Parses a decimal number up to 255. Leading zeros are refused, since some programs read them as octal.
    private static func octet(_ label: Substring) -> UInt8? {
        guard label.utf8.allSatisfy(isDigit), label == "0" || !label.hasPrefix("0") else { return nil }
        return UInt8(label)
    }

    /// Returns the 16 bytes of an IPv6 address. An address with a zone is refused.
    private static func ipv6(_ text: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 16)
        return inet_pton(AF_INET6, text, &bytes) == 1 ? bytes : nil
    }
}
