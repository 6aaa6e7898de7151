/// The identity of one incarnation of a replica: 64 random bits, assigned by the server at registration.
///
/// A copied or restored replica file gets a new identity.
public struct ReplicaID: Hashable, Comparable, Sendable, LosslessStringConvertible {
    package let rawValue: UInt64

    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The identity of a replica before its registration. Its changes get their author when a server registers it.
    package static let unregistered = ReplicaID(rawValue: 0)

    /// Reads 16 hexadecimal digits.
    public init?(_ text: String) {
        guard text.utf8.count == 16, let bytes = Hex.decode(text.utf8) else { return nil }
        rawValue = bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// 16 lower-case hexadecimal digits.
    public var description: String {
        let text = String(rawValue, radix: 16)
        return String(repeating: "0", count: 16 - text.utf8.count) + text
    }

    public static func < (left: ReplicaID, right: ReplicaID) -> Bool {
        left.rawValue < right.rawValue
    }
}
