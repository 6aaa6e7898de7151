/// Names one request of a transport, so that it can be cancelled.
struct RequestID: Hashable, Sendable {
    let rawValue: UInt64
}
