/// The identifier of one request of a transport, by which it can be cancelled.
struct RequestID: Hashable, Sendable {
    let rawValue: UInt64
}
