internal import RoostProtocol

/// How much a scope may hold.
struct ScopeQuota {
    private let limits: Limits

    init(_ limits: Limits) {
        self.limits = limits
    }

    /// Why a scope may not grow from one state to another, or `nil`; one that shrinks always may.
    func refusal(from head: ScopeHead, to next: ScopeHead) -> PushReply.Refusal? {
        if next.records > limits.recordsPerScopeMax, next.records > head.records {
            return .init(
                code: .quotaExceeded,
                message: "Cannot store the transaction: the scope would have \(next.records) records, the limit is "
                    + "\(limits.recordsPerScopeMax). Begin another scope.")
        }
        if next.bytes > limits.bytesPerScopeMax, next.bytes > head.bytes {
            return .init(
                code: .quotaExceeded,
                message: "Cannot store the transaction: the scope would have \(next.bytes) bytes, the limit is "
                    + "\(limits.bytesPerScopeMax). Begin another scope.")
        }
        return nil
    }
}
