/// The identity of one replica incarnation: 64 random bits, given by the server at registration.
///
/// A copied or restored replica file gets a new one.
public struct ReplicaID: Hashable, Comparable, Sendable, LosslessStringConvertible {
    package let rawValue: UInt64

    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// A replica that no server has registered yet; its changes get their identity when it is.
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
