/// The identity of a scope, which is shared and authorised as a whole, such as one expense group.
public struct ScopeID: Hashable, Sendable, LosslessStringConvertible {
    package let value: RecordID

    package init(_ value: RecordID) {
        self.value = value
    }

    package init?(bytes: some Collection<UInt8>) {
        guard let value = RecordID(bytes: bytes) else { return nil }
        self.value = value
    }

    /// Reads the text form of a UUID.
    public init?(_ text: String) {
        guard let value = RecordID(text) else { return nil }
        self.value = value
    }

    package var bytes: [UInt8] { value.bytes }
    public var description: String { value.description }
}
